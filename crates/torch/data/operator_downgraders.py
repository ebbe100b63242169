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
    seen = torch.tril(torch.ones([query.size(-2), key.size(-2)], dtype=0, device=query.device))
    scores = torch.masked_fill(scores, torch.eq(seen, 0), float('-inf'))
  if attn_mask is not None:
    if attn_mask.dtype == 11:
      scores = torch.masked_fill(scores, torch.logical_not(attn_mask), float('-inf'))
    else:
      scores = torch.add(scores, attn_mask)
  weights = torch.softmax(scores, -1)
  nothing = torch.eq(torch.sum(torch.ne(scores, float('-inf')), [-1], True), 0)
  return torch.matmul(torch.masked_fill(weights, nothing, 0.0), value)

# Names that an operator got besides the one it had.

def absolute_to_1_5(self: Tensor) -> Tensor:
  return torch.abs(self)

def absolute_out_to_1_5(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.abs(self, out=out)

def absolute__to_1_5(self: Tensor) -> Tensor:
  return torch.abs_(self)

def arccos_to_1_6(self: Tensor) -> Tensor:
  return torch.acos(self)

def arccos_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.acos(self, out=out)

def arccos__to_1_6(self: Tensor) -> Tensor:
  return torch.acos_(self)

def arccosh_to_1_6(self: Tensor) -> Tensor:
  return torch.acosh(self)

def arccosh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.acosh(self, out=out)

def arccosh__to_1_6(self: Tensor) -> Tensor:
  return torch.acosh_(self)

def arcsin_to_1_6(self: Tensor) -> Tensor:
  return torch.asin(self)

def arcsin_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.asin(self, out=out)

def arcsin__to_1_6(self: Tensor) -> Tensor:
  return torch.asin_(self)

def arcsinh_to_1_6(self: Tensor) -> Tensor:
  return torch.asinh(self)

def arcsinh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.asinh(self, out=out)

def arcsinh__to_1_6(self: Tensor) -> Tensor:
  return torch.asinh_(self)

def arctan_to_1_6(self: Tensor) -> Tensor:
  return torch.atan(self)

def arctan_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.atan(self, out=out)

def arctan__to_1_6(self: Tensor) -> Tensor:
  return torch.atan_(self)

def arctan2_to_1_10(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2(self, other)

def arctan2_out_to_1_10(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.atan2(self, other, out=out)

def arctan2__to_1_10(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2_(self, other)

def arctanh_to_1_6(self: Tensor) -> Tensor:
  return torch.atanh(self)

def arctanh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.atanh(self, out=out)

def arctanh__to_1_6(self: Tensor) -> Tensor:
  return torch.atanh_(self)

def concat_to_1_9(tensors: List[Tensor], dim: int=0) -> Tensor:
  return torch.cat(tensors, dim)

def concat_out_to_1_9(tensors: List[Tensor], dim: int=0, *, out: Tensor) -> Tensor:
  return torch.cat(tensors, dim, out=out)

def concatenate_to_1_12(tensors: List[Tensor], dim: int=0) -> Tensor:
  return torch.cat(tensors, dim)

def concatenate_out_to_1_12(tensors: List[Tensor], dim: int=0, *, out: Tensor) -> Tensor:
  return torch.cat(tensors, dim, out=out)

def fix_to_1_6(self: Tensor) -> Tensor:
  return torch.trunc(self)

def fix_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.trunc(self, out=out)

def fix__to_1_6(self: Tensor) -> Tensor:
  return torch.trunc_(self)

def greater_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.gt(self, other)

def greater_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.gt(self, other, out=out)

def greater_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.gt(self, other)

def greater_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.gt(self, other, out=out)

def greater__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.gt_(self, other)

def greater__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.gt_(self, other)

def greater_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ge(self, other)

def greater_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.ge(self, other, out=out)

def greater_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ge(self, other)

def greater_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.ge(self, other, out=out)

def greater_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ge_(self, other)

def greater_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ge_(self, other)

def less_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.lt(self, other)

def less_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.lt(self, other, out=out)

def less_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.lt(self, other)

def less_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.lt(self, other, out=out)

def less__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.lt_(self, other)

def less__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.lt_(self, other)

def less_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.le(self, other)

def less_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.le(self, other, out=out)

def less_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.le(self, other)

def less_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.le(self, other, out=out)

def less_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.le_(self, other)

def less_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.le_(self, other)

def multiply_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.mul(self, other)

def multiply_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul(self, other)

def multiply_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.mul(self, other, out=out)

def multiply__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.mul_(self, other)

def multiply__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul_(self, other)

def negative_to_1_6(self: Tensor) -> Tensor:
  return torch.neg(self)

def negative_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.neg(self, out=out)

def negative__to_1_6(self: Tensor) -> Tensor:
  return torch.neg_(self)

def not_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ne(self, other)

def not_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.ne(self, other, out=out)

def not_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, other)

def not_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.ne(self, other, out=out)

def not_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ne_(self, other)

def not_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne_(self, other)

def subtract_Scalar_to_1_6(self: Tensor, other: number, alpha: number=1) -> Tensor:
  return torch.sub(self, other, alpha)

def subtract_Tensor_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1) -> Tensor:
  return torch.sub(self, other, alpha=alpha)

def subtract_out_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1, out: Tensor) -> Tensor:
  return torch.sub(self, other, alpha=alpha, out=out)

def subtract__Scalar_to_1_6(self: Tensor, other: number, alpha: number=1) -> Tensor:
  return torch.sub_(self, other, alpha)

def subtract__Tensor_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1) -> Tensor:
  return torch.sub_(self, other, alpha=alpha)

def swapaxes_to_1_7(self: Tensor, axis0: int, axis1: int) -> Tensor:
  return torch.transpose(self, axis0, axis1)

def swapaxes__to_1_7(self: Tensor, axis0: int, axis1: int) -> Tensor:
  return torch.transpose_(self, axis0, axis1)

def swapdims_to_1_7(self: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose(self, dim0, dim1)

def swapdims__to_1_7(self: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose_(self, dim0, dim1)

def moveaxis_int_to_1_7(self: Tensor, source: int, destination: int) -> Tensor:
  return torch.movedim(self, source, destination)

def moveaxis_intlist_to_1_7(self: Tensor, source: List[int], destination: List[int]) -> Tensor:
  return torch.movedim(self, source, destination)

def outer_to_1_6(self: Tensor, vec2: Tensor) -> Tensor:
  return torch.ger(self, vec2)

def outer_out_to_1_6(self: Tensor, vec2: Tensor, *, out: Tensor) -> Tensor:
  return torch.ger(self, vec2, out=out)

def linalg_det_to_1_6(A: Tensor) -> Tensor:
  return torch.det(A)

def linalg_inv_to_1_7(A: Tensor) -> Tensor:
  return torch.inverse(A)

def linalg_inv_out_to_1_7(A: Tensor, *, out: Tensor) -> Tensor:
  result = torch.inverse(A)
  return out.resize_(result.size()).copy_(result)

def linalg_slogdet_to_1_7(A: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.slogdet(A)

def linalg_matmul_to_1_9(self: Tensor, other: Tensor) -> Tensor:
  return torch.matmul(self, other)

def linalg_matmul_out_to_1_9(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.matmul(self, other, out=out)

def linalg_matrix_power_to_1_8(self: Tensor, n: int) -> Tensor:
  return torch.matrix_power(self, n)

def special_digamma_to_1_9(self: Tensor) -> Tensor:
  return torch.digamma(self)

def special_digamma_out_to_1_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.digamma(self, out=out)

def special_psi_to_1_9(self: Tensor) -> Tensor:
  return torch.digamma(self)

def special_psi_out_to_1_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.digamma(self, out=out)

def special_erf_to_1_8(self: Tensor) -> Tensor:
  return torch.erf(self)

def special_erf_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.erf(self, out=out)

def special_erfc_to_1_8(self: Tensor) -> Tensor:
  return torch.erfc(self)

def special_erfc_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.erfc(self, out=out)

def special_erfinv_to_1_8(self: Tensor) -> Tensor:
  return torch.erfinv(self)

def special_erfinv_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.erfinv(self, out=out)

def special_exp2_to_1_8(self: Tensor) -> Tensor:
  return torch.exp2(self)

def special_exp2_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.exp2(self, out=out)

def special_expit_to_1_8(self: Tensor) -> Tensor:
  return torch.sigmoid(self)

def special_expit_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.sigmoid(self, out=out)

def special_expm1_to_1_8(self: Tensor) -> Tensor:
  return torch.expm1(self)

def special_expm1_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.expm1(self, out=out)

def special_gammaln_to_1_8(self: Tensor) -> Tensor:
  return torch.lgamma(self)

def special_gammaln_out_to_1_8(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.lgamma(self, out=out)

def special_i0_to_1_9(self: Tensor) -> Tensor:
  return torch.i0(self)

def special_i0_out_to_1_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.i0(self, out=out)

def special_log1p_to_1_9(self: Tensor) -> Tensor:
  return torch.log1p(self)

def special_log1p_out_to_1_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.log1p(self, out=out)

def special_logit_to_1_8(self: Tensor, eps: Optional[float]=None) -> Tensor:
  return torch.logit(self, eps)

def special_logit_out_to_1_8(self: Tensor, eps: Optional[float]=None, *, out: Tensor) -> Tensor:
  return torch.logit(self, eps, out=out)

def special_polygamma_to_1_9(n: int, self: Tensor) -> Tensor:
  return torch.polygamma(n, self)

def special_polygamma_out_to_1_9(n: int, self: Tensor, *, out: Tensor) -> Tensor:
  return torch.polygamma(n, self, out=out)

def special_sinc_to_1_9(self: Tensor) -> Tensor:
  return torch.sinc(self)

def special_sinc_out_to_1_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.sinc(self, out=out)

def special_multigammaln_to_1_9(self: Tensor, p: int) -> Tensor:
  return torch.mvlgamma(self, p)

def special_logsumexp_to_1_9(self: Tensor, dim: List[int], keepdim: bool=False) -> Tensor:
  return torch.logsumexp(self, dim, keepdim)

def special_logsumexp_out_to_1_9(self: Tensor, dim: List[int], keepdim: bool=False, *, out: Tensor) -> Tensor:
  return torch.logsumexp(self, dim, keepdim, out=out)

def special_xlogy_to_1_9(self: Tensor, other: Tensor) -> Tensor:
  return torch.xlogy(self, other)

def special_xlogy_other_scalar_to_1_9(self: Tensor, other: number) -> Tensor:
  return torch.xlogy(self, other)

def special_xlogy_other_scalar_out_to_1_9(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.xlogy(self, other, out=out)

def special_xlogy_out_to_1_9(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.xlogy(self, other, out=out)

def special_xlogy_self_scalar_to_1_9(self: number, other: Tensor) -> Tensor:
  return torch.xlogy(self, other)

def special_xlogy_self_scalar_out_to_1_9(self: number, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.xlogy(self, other, out=out)

def row_stack_to_1_7(tensors: List[Tensor]) -> Tensor:
  return torch.vstack(tensors)

def row_stack_out_to_1_7(tensors: List[Tensor], *, out: Tensor) -> Tensor:
  return torch.vstack(tensors, out=out)

def argwhere_to_1_10(self: Tensor) -> Tensor:
  return torch.nonzero(self)

def special_softmax_to_1_10(self: Tensor, dim: int, dtype: Optional[int]=None) -> Tensor:
  return torch.softmax(self, dim, dtype)

# Activations.

def hardsigmoid_to_1_4(self: Tensor) -> Tensor:
  return torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6)

def hardsigmoid__to_1_4(self: Tensor) -> Tensor:
  return self.copy_(torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6))

def hardswish_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6))

def hardswish__to_1_5(self: Tensor) -> Tensor:
  return self.copy_(torch.mul(self, torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6)))

def silu_to_1_6(self: Tensor) -> Tensor:
  return torch.mul(self, torch.sigmoid(self))

def silu__to_1_6(self: Tensor) -> Tensor:
  return self.mul_(torch.sigmoid(self))

def mish_to_1_8(self: Tensor) -> Tensor:
  return torch.mul(self, torch.tanh(torch.softplus(self)))

def mish__to_1_8(self: Tensor) -> Tensor:
  return self.mul_(torch.tanh(torch.softplus(self)))

def relu6_to_1_8(self: Tensor) -> Tensor:
  return torch.hardtanh(self, 0, 6)

def relu6__to_1_8(self: Tensor) -> Tensor:
  return torch.hardtanh_(self, 0, 6)

# Elements, one by one.

def square_to_1_4(self: Tensor) -> Tensor:
  return torch.pow(self, 2)

def square__to_1_4(self: Tensor) -> Tensor:
  return self.pow_(2)

def deg2rad_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, 0.017453292519943295)

def rad2deg_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, 57.29577951308232)

def maximum_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.max(self, other)

def minimum_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.min(self, other)

def logaddexp_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  high = torch.max(self, other)
  apart = torch.neg(torch.abs(torch.sub(self, other)))
  return torch.where(torch.eq(self, other), torch.add(self, 0.6931471805599453), torch.add(high, torch.log1p(torch.exp(apart))))

def isposinf_to_1_6(self: Tensor) -> Tensor:
  return torch.eq(self, float('inf'))

def isneginf_to_1_6(self: Tensor) -> Tensor:
  return torch.eq(self, float('-inf'))

def logical_and_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, 0) & torch.ne(other, 0)

def logical_or_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, 0) | torch.ne(other, 0)

# Shapes.

def tile_to_1_7(self: Tensor, dims: List[int]) -> Tensor:
  sizes = dims
  while len(sizes) < self.dim():
    sizes = [1] + sizes
  return self.repeat(sizes)

def ravel_to_1_7(self: Tensor) -> Tensor:
  return torch.reshape(self, [-1])

def movedim_int_to_1_6(self: Tensor, source: int, destination: int) -> Tensor:
  rank = self.dim()
  source = source + rank if source < 0 else source
  destination = destination + rank if destination < 0 else destination
  order: List[int] = []
  for i in range(rank):
    if i != source:
      order.append(i)
  order.insert(destination, source)
  return self.permute(order)

def unflatten_int_to_1_5(self: Tensor, dim: int, sizes: List[int]) -> Tensor:
  rank = self.dim()
  dim = dim + rank if dim < 0 else dim
  shape = self.size()
  return self.view(shape[:dim] + sizes + shape[dim + 1:])

def fliplr_to_1_5(self: Tensor) -> Tensor:
  return torch.flip(self, [1])

def flipud_to_1_5(self: Tensor) -> Tensor:
  return torch.flip(self, [0])

def hstack_to_1_6(tensors: List[Tensor]) -> Tensor:
  if tensors[0].dim() < 2:
    parts: List[Tensor] = []
    for one in tensors:
      parts.append(torch.reshape(one, [-1]))
    return torch.cat(parts, 0)
  return torch.cat(tensors, 1)

def vstack_to_1_6(tensors: List[Tensor]) -> Tensor:
  if tensors[0].dim() < 2:
    parts: List[Tensor] = []
    for one in tensors:
      parts.append(torch.reshape(one, [1, -1]))
    return torch.cat(parts, 0)
  return torch.cat(tensors, 0)

def diff_to_1_7(self: Tensor, n: int=1, dim: int=-1, prepend: Optional[Tensor]=None, append: Optional[Tensor]=None) -> Tensor:
  result = self
  if prepend is not None:
    result = torch.cat([prepend, result], dim)
  if append is not None:
    result = torch.cat([result, append], dim)
  for i in range(n):
    size = result.size(dim) - 1
    if result.dtype == 11:
      result = torch.ne(torch.narrow(result, dim, 1, size), torch.narrow(result, dim, 0, size))
    else:
      result = torch.sub(torch.narrow(result, dim, 1, size), torch.narrow(result, dim, 0, size))
  return result

def pad_to_1_11(self: Tensor, pad: List[int], mode: str='constant', value: Optional[float]=None) -> Tensor:
  if mode == 'constant':
    return torch.constant_pad_nd(self, pad, 0.0 if value is None else value)
  if mode == 'reflect':
    for i in range(len(pad) // 2):
      last = self.size(self.dim() - 1 - i) - 1
      places = torch.abs(torch.arange(-pad[2 * i], last + 1 + pad[2 * i + 1], dtype=4, device=self.device))
      places = torch.add(torch.neg(torch.abs(torch.sub(places, last))), last)
      self = torch.index_select(self, self.dim() - 1 - i, places)
    return self
  if mode == 'replicate':
    if len(pad) == 2:
      return torch.replication_pad1d(self, pad)
    if len(pad) == 4:
      return torch.replication_pad2d(self, pad)
    return torch.replication_pad3d(self, pad)
  for i in range(len(pad) // 2):
    dim = self.dim() - 1 - i
    size = self.size(dim)
    before = torch.narrow(self, dim, size - pad[2 * i], pad[2 * i])
    after = torch.narrow(self, dim, 0, pad[2 * i + 1])
    self = torch.cat([before, self, after], dim)
  return self

# Sums and norms.

def amax_to_1_6(self: Tensor, dim: List[int]=[], keepdim: bool=False) -> Tensor:
  result = self
  for i in range(self.dim()):
    if len(dim) == 0 or i in dim or i - self.dim() in dim:
      result = torch.max(result, i, True)[0]
  if not keepdim:
    for i in range(self.dim()):
      last = self.dim() - 1 - i
      if len(dim) == 0 or last in dim or last - self.dim() in dim:
        result = torch.squeeze(result, last)
  return result

def amin_to_1_6(self: Tensor, dim: List[int]=[], keepdim: bool=False) -> Tensor:
  result = self
  for i in range(self.dim()):
    if len(dim) == 0 or i in dim or i - self.dim() in dim:
      result = torch.min(result, i, True)[0]
  if not keepdim:
    for i in range(self.dim()):
      last = self.dim() - 1 - i
      if len(dim) == 0 or last in dim or last - self.dim() in dim:
        result = torch.squeeze(result, last)
  return result

def count_nonzero_to_1_6(self: Tensor, dim: Optional[int]=None) -> Tensor:
  if dim is None:
    return torch.sum(torch.ne(self, 0))
  return torch.sum(torch.ne(self, 0), [dim])

def rms_norm_to_2_3(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, eps: Optional[float]=None) -> Tensor:
  dims: List[int] = []
  for i in range(len(normalized_shape)):
    dims.append(-1 - i)
  half = input.dtype == 5 or input.dtype == 15
  value = input.to(6) if half else input
  least = 2.220446049250313e-16 if input.dtype == 7 else 1.1920928955078125e-07
  size = torch.add(torch.mean(torch.mul(value, value), dims, True), least if eps is None else eps)
  result = torch.mul(value, torch.rsqrt(size))
  if half:
    result = result.to(input.dtype)
  if weight is not None:
    result = torch.mul(result, weight)
  return result

# Convolutions that say how they pad in words.

def conv1d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1], padding: str='valid', dilation: List[int]=[1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv1d(input, weight, bias, stride, [0], dilation, groups)
  rest: List[int] = []
  for i in range(1):
    axis = 0 - i
    total = dilation[axis if len(dilation) > 1 else 0] * (weight.size(axis + 2) - 1)
    rest = rest + [total // 2, total - total // 2]
  return torch.conv1d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

def conv2d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1, 1], padding: str='valid', dilation: List[int]=[1, 1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv2d(input, weight, bias, stride, [0], dilation, groups)
  rest: List[int] = []
  for i in range(2):
    axis = 1 - i
    total = dilation[axis if len(dilation) > 1 else 0] * (weight.size(axis + 2) - 1)
    rest = rest + [total // 2, total - total // 2]
  return torch.conv2d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

def conv3d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1, 1, 1], padding: str='valid', dilation: List[int]=[1, 1, 1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv3d(input, weight, bias, stride, [0], dilation, groups)
  rest: List[int] = []
  for i in range(3):
    axis = 2 - i
    total = dilation[axis if len(dilation) > 1 else 0] * (weight.size(axis + 2) - 1)
    rest = rest + [total // 2, total - total // 2]
  return torch.conv3d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

# Matrices, by their older operators.

def linalg_cholesky_to_1_7(self: Tensor, *, upper: bool=False) -> Tensor:
  return torch.cholesky(self, upper)

# Interpolation to the nearest element by its centre.

def _upsample_nearest_exact1d_to_1_10(self: Tensor, output_size: List[int], scales: Optional[float]=None) -> Tensor:
  result = self
  steps: List[float] = []
  steps.append(float(self.size(2)) / float(output_size[0]) if scales is None else 1.0 / scales)
  for i in range(1):
    places = torch.floor(torch.mul(torch.add(torch.arange(output_size[i], dtype=6, device=self.device), 0.5), steps[i]))
    places = torch.clamp(places.to(4), 0, self.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def _upsample_nearest_exact1d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  result = input
  for i in range(1):
    if output_size is None:
      size = int(torch.floor(float(input.size(i + 2)) * (1.0 if scale_factors is None else scale_factors[i])))
    else:
      size = output_size[i]
    step = float(input.size(i + 2)) / float(size)
    if scale_factors is not None:
      step = 1.0 / scale_factors[i]
    places = torch.floor(torch.mul(torch.add(torch.arange(size, dtype=6, device=input.device), 0.5), step))
    places = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def _upsample_nearest_exact2d_to_1_10(self: Tensor, output_size: List[int], scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  result = self
  steps: List[float] = []
  steps.append(float(self.size(2)) / float(output_size[0]) if scales_h is None else 1.0 / scales_h)
  steps.append(float(self.size(3)) / float(output_size[1]) if scales_w is None else 1.0 / scales_w)
  for i in range(2):
    places = torch.floor(torch.mul(torch.add(torch.arange(output_size[i], dtype=6, device=self.device), 0.5), steps[i]))
    places = torch.clamp(places.to(4), 0, self.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def _upsample_nearest_exact2d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  result = input
  for i in range(2):
    if output_size is None:
      size = int(torch.floor(float(input.size(i + 2)) * (1.0 if scale_factors is None else scale_factors[i])))
    else:
      size = output_size[i]
    step = float(input.size(i + 2)) / float(size)
    if scale_factors is not None:
      step = 1.0 / scale_factors[i]
    places = torch.floor(torch.mul(torch.add(torch.arange(size, dtype=6, device=input.device), 0.5), step))
    places = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def _upsample_nearest_exact3d_to_1_10(self: Tensor, output_size: List[int], scales_d: Optional[float]=None, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  result = self
  steps: List[float] = []
  steps.append(float(self.size(2)) / float(output_size[0]) if scales_d is None else 1.0 / scales_d)
  steps.append(float(self.size(3)) / float(output_size[1]) if scales_h is None else 1.0 / scales_h)
  steps.append(float(self.size(4)) / float(output_size[2]) if scales_w is None else 1.0 / scales_w)
  for i in range(3):
    places = torch.floor(torch.mul(torch.add(torch.arange(output_size[i], dtype=6, device=self.device), 0.5), steps[i]))
    places = torch.clamp(places.to(4), 0, self.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def _upsample_nearest_exact3d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  result = input
  for i in range(3):
    if output_size is None:
      size = int(torch.floor(float(input.size(i + 2)) * (1.0 if scale_factors is None else scale_factors[i])))
    else:
      size = output_size[i]
    step = float(input.size(i + 2)) / float(size)
    if scale_factors is not None:
      step = 1.0 / scale_factors[i]
    places = torch.floor(torch.mul(torch.add(torch.arange(size, dtype=6, device=input.device), 0.5), step))
    places = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

# Interpolation by factors. Up to 1.6 only the sizes counted, which is the same where they come out whole; else the
# elements are weighed here.

def upsample_linear1d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_linear1d(input, output_size, align_corners)
  factors: List[float] = []
  if scale_factors is not None:
    factors = scale_factors
  sizes: List[int] = []
  whole = align_corners or not torch.is_floating_point(input)
  exact = True
  for i in range(1):
    sizes.append(int(torch.floor(float(input.size(i + 2)) * factors[i])))
    exact = exact and float(sizes[i]) == float(input.size(i + 2)) * factors[i]
  if whole or exact:
    return torch.upsample_linear1d(input, sizes, align_corners)
  result = input
  for i in range(1):
    places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
    places = torch.clamp(torch.sub(torch.mul(torch.add(places, 0.5), 1.0 / factors[i]), 0.5), 0)
    low = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    high = torch.clamp(torch.add(low, 1), 0, input.size(i + 2) - 1)
    shape: List[int] = [-1]
    for j in range(0 - i):
      shape.append(1)
    part = torch.reshape(torch.sub(places, low.to(places.dtype)), shape).to(input.dtype)
    before = torch.mul(torch.index_select(result, i + 2, low), torch.add(torch.neg(part), 1))
    result = torch.add(before, torch.mul(torch.index_select(result, i + 2, high), part))
  return result

def upsample_bilinear2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_bilinear2d(input, output_size, align_corners)
  factors: List[float] = []
  if scale_factors is not None:
    factors = scale_factors
  sizes: List[int] = []
  whole = align_corners or not torch.is_floating_point(input)
  exact = True
  for i in range(2):
    sizes.append(int(torch.floor(float(input.size(i + 2)) * factors[i])))
    exact = exact and float(sizes[i]) == float(input.size(i + 2)) * factors[i]
  if whole or exact:
    return torch.upsample_bilinear2d(input, sizes, align_corners)
  result = input
  for i in range(2):
    places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
    places = torch.clamp(torch.sub(torch.mul(torch.add(places, 0.5), 1.0 / factors[i]), 0.5), 0)
    low = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    high = torch.clamp(torch.add(low, 1), 0, input.size(i + 2) - 1)
    shape: List[int] = [-1]
    for j in range(1 - i):
      shape.append(1)
    part = torch.reshape(torch.sub(places, low.to(places.dtype)), shape).to(input.dtype)
    before = torch.mul(torch.index_select(result, i + 2, low), torch.add(torch.neg(part), 1))
    result = torch.add(before, torch.mul(torch.index_select(result, i + 2, high), part))
  return result

def upsample_trilinear3d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_trilinear3d(input, output_size, align_corners)
  factors: List[float] = []
  if scale_factors is not None:
    factors = scale_factors
  sizes: List[int] = []
  whole = align_corners or not torch.is_floating_point(input)
  exact = True
  for i in range(3):
    sizes.append(int(torch.floor(float(input.size(i + 2)) * factors[i])))
    exact = exact and float(sizes[i]) == float(input.size(i + 2)) * factors[i]
  if whole or exact:
    return torch.upsample_trilinear3d(input, sizes, align_corners)
  result = input
  for i in range(3):
    places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
    places = torch.clamp(torch.sub(torch.mul(torch.add(places, 0.5), 1.0 / factors[i]), 0.5), 0)
    low = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    high = torch.clamp(torch.add(low, 1), 0, input.size(i + 2) - 1)
    shape: List[int] = [-1]
    for j in range(2 - i):
      shape.append(1)
    part = torch.reshape(torch.sub(places, low.to(places.dtype)), shape).to(input.dtype)
    before = torch.mul(torch.index_select(result, i + 2, low), torch.add(torch.neg(part), 1))
    result = torch.add(before, torch.mul(torch.index_select(result, i + 2, high), part))
  return result

def upsample_bicubic2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_bicubic2d(input, output_size, align_corners)
  factors: List[float] = []
  if scale_factors is not None:
    factors = scale_factors
  sizes: List[int] = []
  whole = align_corners or not torch.is_floating_point(input)
  exact = True
  for i in range(2):
    sizes.append(int(torch.floor(float(input.size(i + 2)) * factors[i])))
    exact = exact and float(sizes[i]) == float(input.size(i + 2)) * factors[i]
  if whole or exact:
    return torch.upsample_bicubic2d(input, sizes, align_corners)
  result = input
  for i in range(2):
    places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
    places = torch.sub(torch.mul(torch.add(places, 0.5), 1.0 / factors[i]), 0.5)
    low = torch.floor(places)
    parts: List[Tensor] = []
    for j in range(4):
      far = torch.abs(torch.sub(torch.sub(places, low), j - 1))
      near = torch.add(torch.mul(torch.mul(torch.sub(torch.mul(far, 1.25), 2.25), far), far), 1.0)
      away = torch.add(torch.mul(torch.sub(torch.mul(torch.add(torch.mul(far, -0.75), 3.75), far), 6.0), far), 3.0)
      weight = torch.where(torch.le(far, 1.0), near, away)
      weight = torch.reshape(weight, [-1, 1] if i == 0 else [-1]).to(input.dtype)
      index = torch.clamp(torch.add(low.to(4), j - 1), 0, input.size(i + 2) - 1)
      parts.append(torch.mul(torch.index_select(result, i + 2, index), weight))
    result = torch.add(torch.add(torch.add(parts[0], parts[1]), parts[2]), parts[3])
  return result

def upsample_nearest1d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest1d(input, output_size)
  result = input
  for i in range(1):
    factor = 1.0
    if scale_factors is not None:
      factor = scale_factors[i]
    size = int(torch.floor(float(input.size(i + 2)) * factor))
    places = torch.floor(torch.mul(torch.arange(size, dtype=6, device=input.device), 1.0 / factor))
    result = torch.index_select(result, i + 2, torch.clamp(places.to(4), 0, input.size(i + 2) - 1))
  return result

def upsample_nearest2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest2d(input, output_size)
  result = input
  for i in range(2):
    factor = 1.0
    if scale_factors is not None:
      factor = scale_factors[i]
    size = int(torch.floor(float(input.size(i + 2)) * factor))
    places = torch.floor(torch.mul(torch.arange(size, dtype=6, device=input.device), 1.0 / factor))
    result = torch.index_select(result, i + 2, torch.clamp(places.to(4), 0, input.size(i + 2) - 1))
  return result

def upsample_nearest3d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest3d(input, output_size)
  result = input
  for i in range(3):
    factor = 1.0
    if scale_factors is not None:
      factor = scale_factors[i]
    size = int(torch.floor(float(input.size(i + 2)) * factor))
    places = torch.floor(torch.mul(torch.arange(size, dtype=6, device=input.device), 1.0 / factor))
    result = torch.index_select(result, i + 2, torch.clamp(places.to(4), 0, input.size(i + 2) - 1))
  return result

# What torch.export writes for what has been there under another name.

def _unsafe_index_Tensor_to_2_0(self: Tensor, indices: List[Optional[Tensor]]) -> Tensor:
  return torch.index(self, indices)

def _native_batch_norm_legit_no_training_to_2_0(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor, running_var: Tensor, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  result, mean, deviation = torch.native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
  nothing = torch.zeros([0], dtype=input.dtype, device=input.device)
  return (result, nothing, nothing)

def _to_copy_to_1_9(self: Tensor, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, non_blocking: bool=False, memory_format: Optional[int]=None) -> Tensor:
  return torch.to(self, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, non_blocking=non_blocking, copy=True, memory_format=memory_format)

# Numbers that are none, bounds that are tensors.

def nan_to_num_to_1_7(self: Tensor, nan: Optional[float]=None, posinf: Optional[float]=None, neginf: Optional[float]=None) -> Tensor:
  if not torch.is_floating_point(self):
    return torch.clone(self)
  most = 3.4028234663852886e+38
  if self.dtype == 5:
    most = 65504.0
  if self.dtype == 7:
    most = 1.7976931348623157e+308
  if self.dtype == 15:
    most = 3.3895313892515355e+38
  high = torch.full_like(self, most if posinf is None else posinf)
  low = torch.full_like(self, -most if neginf is None else neginf)
  result = torch.where(torch.ne(self, self), torch.full_like(self, 0.0 if nan is None else nan), self)
  result = torch.where(torch.eq(self, float('inf')), high, result)
  return torch.where(torch.eq(self, float('-inf')), low, result)

def clamp_Tensor_to_1_8(self: Tensor, min: Optional[Tensor]=None, max: Optional[Tensor]=None) -> Tensor:
  result = self
  if min is not None:
    result = torch.max(result, min)
  if max is not None:
    result = torch.min(result, max)
  return result

# Matrices and vectors, before linalg.

def linalg_vector_norm_to_1_8(self: Tensor, ord: number=2, dim: Optional[List[int]]=None, keepdim: bool=False, *, dtype: Optional[int]=None) -> Tensor:
  value = self
  if dtype is not None:
    value = self.to(dtype)
  dims: List[int] = []
  if dim is None:
    for i in range(self.dim()):
      dims.append(i)
  else:
    dims = dim
  return torch.norm(value, ord, dims, keepdim)

def linalg_qr_to_1_7(A: Tensor, mode: str='reduced') -> Tuple[Tensor, Tensor]:
  return torch.qr(A, mode == 'reduced')

def linalg_svd_to_1_8(A: Tensor, full_matrices: bool=True, *, driver: Optional[str]=None) -> Tuple[Tensor, Tensor, Tensor]:
  U, S, V = torch.svd(A, not full_matrices)
  return (U, S, torch.transpose(V, -2, -1))

def linalg_solve_to_1_7(A: Tensor, B: Tensor, *, left: bool=True) -> Tensor:
  if B.dim() == 1 or (A.dim() - 1 == B.dim() and B.size() == A.size()[:-1]):
    return torch.squeeze(torch.solve(torch.unsqueeze(B, -1), A)[0], -1)
  return torch.solve(B, A)[0]

def linalg_cross_to_1_10(self: Tensor, other: Tensor, *, dim: int=-1) -> Tensor:
  both = torch.broadcast_tensors([self, other])
  return torch.cross(both[0], both[1], dim)

def linalg_diagonal_to_1_10(A: Tensor, *, offset: int=0, dim1: int=-2, dim2: int=-1) -> Tensor:
  return torch.diagonal(A, offset, dim1, dim2)

# Division that rounds down, before it had a mode.

def floor_divide_to_1_7(self: Tensor, other: Tensor) -> Tensor:
  if not (torch.is_floating_point(self) or torch.is_floating_point(other)):
    return torch.floor_divide(torch.sub(self, torch.remainder(self, other)), other)
  rest = torch.fmod(self, other)
  quotient = torch.true_divide(torch.sub(self, rest), other)
  apart = torch.ne(torch.lt(other, 0), torch.lt(rest, 0))
  quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
  result = torch.floor(quotient)
  result = torch.where(torch.gt(torch.sub(quotient, result), 0.5), torch.add(result, 1), result)
  return torch.where(torch.eq(other, 0), torch.true_divide(self, other), result)

def floor_divide_Scalar_to_1_7(self: Tensor, other: number) -> Tensor:
  if not (torch.is_floating_point(self) or isinstance(other, float)):
    return torch.floor_divide(torch.sub(self, torch.remainder(self, other)), other)
  value = torch.mul(self, 1.0)
  rest = torch.fmod(value, other)
  quotient = torch.true_divide(torch.sub(value, rest), other)
  apart = torch.ne(torch.lt(torch.full_like(rest, other), 0), torch.lt(rest, 0))
  quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
  result = torch.floor(quotient)
  result = torch.where(torch.gt(torch.sub(quotient, result), 0.5), torch.add(result, 1), result)
  return torch.true_divide(value, other) if other == 0 else result

# Up to 1.5 dividing integers gave integers, and floor_divide came in 1.5. In place, division by a float refuses
# integers, as every division does today.

def div_Tensor_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  value = self
  if not (self.is_floating_point() or other.is_floating_point()):
    value = self.to(torch.zeros([0]).dtype)
  return torch.div(value, other)

def div_Scalar_to_1_5(self: Tensor, other: number) -> Tensor:
  value = self
  if not self.is_floating_point():
    value = self.to(torch.zeros([0]).dtype)
  return torch.div(value, other)

def div_out_to_1_5(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  value = self
  if not (self.is_floating_point() or other.is_floating_point()):
    value = self.to(torch.zeros([0]).dtype)
  return torch.div(value, other, out=out)

def div__Tensor_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(torch.squeeze(torch.ones([1]))).div_(other)

def div__Scalar_to_1_5(self: Tensor, other: number) -> Tensor:
  return self.div_(torch.squeeze(torch.ones([1]))).div_(other)

def floor_divide_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  quotient = torch.div(self, other)
  if quotient.is_floating_point():
    return torch.trunc(quotient)
  return quotient

def floor_divide_Scalar_to_1_4(self: Tensor, other: number) -> Tensor:
  quotient = torch.div(self, other)
  if quotient.is_floating_point():
    return torch.trunc(quotient)
  return quotient

# Up to 1.5 a tensor was filled with floats unless a type was given; today the number says which.

def full_to_1_5(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    dtype = torch.add(torch.zeros([1], dtype=4), fill_value).dtype
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Variances with any correction; up to 1.8 there is one of 0 and of 1.

def std_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  less = 1.0 if correction is None else float(correction)
  dims: List[int] = []
  if dim is not None:
    dims = dim
  if len(dims) == 0:
    for i in range(self.dim()):
      dims = dims + [i]
  if less == 0.0 or less == 1.0:
    return torch.std(self, dims, less == 1.0, keepdim)
  count = 1.0
  for i in range(len(dims)):
    count = count * float(self.size(dims[i]))
  rest = count - less if count > less else 0.0
  result = torch.div(torch.mul(torch.var(self, dims, False, keepdim), count), rest)
  return torch.sqrt(result)

def std_mean_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  less = 1.0 if correction is None else float(correction)
  dims: List[int] = []
  if dim is not None:
    dims = dim
  if len(dims) == 0:
    for i in range(self.dim()):
      dims = dims + [i]
  count = 1.0
  for i in range(len(dims)):
    count = count * float(self.size(dims[i]))
  rest = count - less if count > less else 0.0
  result = torch.div(torch.mul(torch.var(self, dims, False, keepdim), count), rest)
  return (torch.sqrt(result), torch.mean(self, dims, keepdim))

def var_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  less = 1.0 if correction is None else float(correction)
  dims: List[int] = []
  if dim is not None:
    dims = dim
  if len(dims) == 0:
    for i in range(self.dim()):
      dims = dims + [i]
  if less == 0.0 or less == 1.0:
    return torch.var(self, dims, less == 1.0, keepdim)
  count = 1.0
  for i in range(len(dims)):
    count = count * float(self.size(dims[i]))
  rest = count - less if count > less else 0.0
  result = torch.div(torch.mul(torch.var(self, dims, False, keepdim), count), rest)
  return result

def var_mean_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  less = 1.0 if correction is None else float(correction)
  dims: List[int] = []
  if dim is not None:
    dims = dim
  if len(dims) == 0:
    for i in range(self.dim()):
      dims = dims + [i]
  count = 1.0
  for i in range(len(dims)):
    count = count * float(self.size(dims[i]))
  rest = count - less if count > less else 0.0
  result = torch.div(torch.mul(torch.var(self, dims, False, keepdim), count), rest)
  return (result, torch.mean(self, dims, keepdim))

# Up to 1.6 a number of steps had to be one.

def linspace_to_1_6(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.linspace(start, end, 100 if steps is None else steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def linspace_out_to_1_6(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:
  return torch.linspace(start, end, 100 if steps is None else steps, out=out)

def logspace_to_1_6(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.logspace(start, end, 100 if steps is None else steps, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def logspace_out_to_1_6(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:
  return torch.logspace(start, end, 100 if steps is None else steps, base, out=out)
