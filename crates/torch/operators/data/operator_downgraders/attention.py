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
    seen = torch.tril(torch.ones([query.size(-2), key.size(-2)], dtype=0, device=query.device))
    scores = torch.masked_fill(scores, torch.eq(seen, 0), float('-inf'))
  if attn_mask is not None:
    if attn_mask.dtype == 11:
      scores = torch.masked_fill(scores, torch.logical_not(attn_mask), float('-inf'))
    else:
      scores = torch.add(scores, attn_mask)
  weights = torch.softmax(scores, -1)
  nothing = torch.eq(torch.sum(torch.ne(scores, float('-inf')), [-1], True), 0)
  weights = torch.masked_fill(weights, nothing, 0.0)
  if dropout_p > 0.0:
    weights = torch.dropout(weights, dropout_p, True)
  return torch.matmul(weights, value)
