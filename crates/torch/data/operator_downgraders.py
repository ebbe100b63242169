# What new files mean by an operator, with the operators of older releases. Each function stands for the new
# schema of an entry of operator_versions.yaml; its name says the last release that needs it.

# Up to 1.11 gelu had one way to compute it.

def gelu_to_1_11(self: Tensor, *, approximate: str='none') -> Tensor:
  if approximate == 'tanh':
    inner = torch.mul(torch.add(self, torch.mul(torch.mul(torch.mul(self, self), self), 0.044715)), 0.7978845608028654)
    return torch.mul(torch.mul(self, 0.5), torch.add(torch.tanh(inner), 1.0))
  return torch.gelu(self)

# Up to 1.12 floor_divide rounded towards zero.

def floor_divide_to_1_12(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='floor')

def floor_divide_Scalar_to_1_12(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other, rounding_mode='floor')

def floor_divide_out_to_1_12(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='floor', out=out)

def floor_divide__Tensor_to_1_12(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(other, rounding_mode='floor')

def floor_divide__Scalar_to_1_12(self: Tensor, other: number) -> Tensor:
  return self.div_(other, rounding_mode='floor')

# Attention came in 2.0. A query that may see nothing gives zeros, as in the newest releases.

def scaled_dot_product_attention_to_1_13(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor]=None, dropout_p: float=0.0, is_causal: bool=False, *, scale: Optional[float]=None, enable_gqa: bool=False) -> Tensor:
  if scale is None:
    factor = 1.0 / torch.sqrt(float(query.size(-1)))
  else:
    factor = scale
  if enable_gqa:
    key = torch.repeat_interleave(key, query.size(-3) // key.size(-3), -3)
    value = torch.repeat_interleave(value, query.size(-3) // value.size(-3), -3)
  scores = torch.matmul(torch.mul(query, factor), torch.transpose(key, -2, -1))
  if is_causal:
    seen = torch.tril(torch.ones([query.size(-2), key.size(-2)], dtype=torch.uint8, device=query.device))
    scores = torch.masked_fill(scores, torch.eq(seen, 0), float('-inf'))
  if attn_mask is not None:
    if attn_mask.dtype == 11:
      scores = torch.masked_fill(scores, torch.logical_not(attn_mask), float('-inf'))
    else:
      scores = torch.add(scores, attn_mask)
  weights = torch.softmax(scores, -1)
  nothing = torch.eq(torch.sum(torch.ne(scores, float('-inf')), [-1], True), 0)
  return torch.matmul(torch.masked_fill(weights, nothing, 0.0), value)
