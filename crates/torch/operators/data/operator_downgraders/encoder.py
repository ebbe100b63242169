# Layers of an encoder in one operator, and the nested tensors that it takes, which came in 1.12.

def is_nested_to_1_11(a: Tensor) -> bool:
  return False

def is_autocast_enabled_to_1_12() -> bool:
  return False

def _nested_tensor_from_mask_left_aligned_to_1_12(t: Tensor, mask: Tensor) -> bool:
  counts = torch.sum(mask, [-1], True)
  return torch.equal(torch.lt(torch.arange(mask.size(-1), dtype=4, device=mask.device), counts), mask)

# A nested tensor is a padded one here: its padding has infinities of both signs in turn, which no layer gives.

def _nested_tensor_from_mask_to_1_11(t: Tensor, mask: Tensor, mask_check: bool=True) -> Tensor:
  counts = torch.unsqueeze(torch.sum(mask, [-1], True), -1)
  places = torch.unsqueeze(torch.arange(t.size(1), dtype=4, device=t.device), -1)
  signs = infinities(t)
  return torch.where(torch.lt(places, counts), t, signs)

def infinities(values: Tensor) -> Tensor:
  turns = torch.remainder(torch.arange(values.size(-1), dtype=4, device=values.device), 2)
  positive = torch.full([values.size(-1)], float('inf'), dtype=values.dtype, device=values.device)
  return torch.masked_fill(positive, torch.eq(turns, 1), float('-inf'))

def padding_of(padded: Tensor, marks: Tensor) -> Tensor:
  return torch.eq(torch.sum(torch.ne(padded, marks), [-1], True), 0)

def to_padded_tensor_to_1_11(self: Tensor, padding: float, output_size: Optional[List[int]]=None) -> Tensor:
  signs = infinities(self)
  lost = padding_of(self, signs)
  filled = torch.masked_fill(self, lost, padding)
  if output_size is None:
    longest = int(torch.max(torch.sum(torch.eq(torch.squeeze(lost, -1), 0), [-1])))
    return torch.narrow(filled, 1, 0, longest)
  more = [0, output_size[2] - filled.size(2), 0, output_size[1] - filled.size(1)]
  return torch.constant_pad_nd(filled, more, padding)

# A mask is true where nothing is looked at: 0 is one for all, 1 one of what is padded, 2 one for each head.

def _native_multi_head_attention_to_1_11(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, mask: Optional[Tensor]=None, need_weights: bool=True, average_attn_weights: bool=True, mask_type: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  nowhere = torch.zeros([1], dtype=11, device=query.device)
  found = attended(query, key, value, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type, nowhere)
  weights = found[1]
  if need_weights and average_attn_weights:
    weights = torch.mean(weights, [1])
  return (found[0], weights)

def attended(q: Tensor, k: Tensor, v: Tensor, heads: int, weight: Tensor, bias: Tensor, out_weight: Tensor, out_bias: Tensor, hidden: Optional[Tensor], kind: Optional[int], padded: Tensor) -> Tuple[Tensor, Tensor]:
  width = q.size(2)
  size = width // heads
  qs = torch.add(torch.matmul(q, torch.t(torch.narrow(weight, 0, 0, width))), torch.narrow(bias, 0, 0, width))
  ks = torch.add(torch.matmul(k, torch.t(torch.narrow(weight, 0, width, width))), torch.narrow(bias, 0, width, width))
  vs = torch.add(torch.matmul(v, torch.t(torch.narrow(weight, 0, 2 * width, width))), torch.narrow(bias, 0, 2 * width, width))
  qs = torch.transpose(torch.reshape(torch.mul(qs, 1.0 / torch.sqrt(float(size))), [q.size(0), q.size(1), heads, size]), 1, 2)
  ks = torch.transpose(torch.reshape(ks, [k.size(0), k.size(1), heads, size]), 1, 2)
  vs = torch.transpose(torch.reshape(vs, [v.size(0), v.size(1), heads, size]), 1, 2)
  scores = torch.masked_fill(torch.matmul(qs, torch.transpose(ks, 2, 3)), padded, float('-inf'))
  if hidden is not None:
    unseen = torch.ne(hidden, 0)
    if kind is not None and kind == 1:
      unseen = torch.unsqueeze(torch.unsqueeze(unseen, 1), 1)
    scores = torch.masked_fill(scores, unseen, float('-inf'))
  shares = torch.softmax(scores, -1)
  mixed = torch.reshape(torch.transpose(torch.matmul(shares, vs), 1, 2), [q.size(0), q.size(1), width])
  return (torch.add(torch.matmul(mixed, torch.t(out_weight)), out_bias), shares)

def _transformer_encoder_layer_fwd_to_1_11(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor, norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor, ffn_weight_1: Tensor, ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor, mask: Optional[Tensor]=None, mask_type: Optional[int]=None) -> Tensor:
  signs = infinities(src)
  lost = padding_of(src, signs)
  kept = torch.masked_fill(src, lost, 0.0)
  x = kept
  if norm_first:
    x = torch.layer_norm(x, [embed_dim], norm_weight_1, norm_bias_1, eps)
  unlooked = torch.unsqueeze(torch.transpose(lost, 1, 2), 1)
  found = attended(x, x, x, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type, unlooked)
  x = torch.add(found[0], kept)
  if not norm_first:
    x = torch.layer_norm(x, [embed_dim], norm_weight_1, norm_bias_1, eps)
  before = x
  if norm_first:
    x = torch.layer_norm(x, [embed_dim], norm_weight_2, norm_bias_2, eps)
  x = torch.add(torch.matmul(x, torch.t(ffn_weight_1)), ffn_bias_1)
  if use_gelu:
    x = torch.gelu(x)
  else:
    x = torch.relu(x)
  x = torch.add(torch.add(torch.matmul(x, torch.t(ffn_weight_2)), ffn_bias_2), before)
  if not norm_first:
    x = torch.layer_norm(x, [embed_dim], norm_weight_2, norm_bias_2, eps)
  return torch.where(lost, signs, x)

# What a layer asks before it chooses its way. A result has a gradient only where gradients are enabled; by 1 there would
# be no product.

def is_grad_enabled_to_1_6() -> bool:
  asked = torch.zeros([1])
  asked = torch.mul(asked.requires_grad_(True), 2)
  return asked.requires_grad

def type_to_1_4(self: Device) -> str:
  return str(self).split(":")[0]
