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

# Variances with any correction: up to 1.8 there is one of 0 and of 1, and up to 2.0 it has to be given, and whole.

def std_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  return deviation(self, dim, correction, keepdim)

def std_correction_to_2_0(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  return deviation(self, dim, correction, keepdim)

def std_mean_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  return deviation_and_mean(self, dim, correction, keepdim)

def std_mean_correction_to_2_0(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  return deviation_and_mean(self, dim, correction, keepdim)

def var_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  return variance(self, dim, correction, keepdim)

def var_correction_to_2_0(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tensor:
  return variance(self, dim, correction, keepdim)

def var_mean_correction_to_1_8(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  return variance_and_mean(self, dim, correction, keepdim)

def var_mean_correction_to_2_0(self: Tensor, dim: Optional[List[int]]=None, *, correction: Optional[number]=None, keepdim: bool=False) -> Tuple[Tensor, Tensor]:
  return variance_and_mean(self, dim, correction, keepdim)

def deviation(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tensor:
  less = 1.0 if correction is None else float(correction)
  dims = chosen(self, dim)
  if less == 0.0 or less == 1.0:
    spread = torch.std(self, dims, less == 1.0, keepdim)
  else:
    result = corrected(self, dims, less, keepdim)
    spread = torch.sqrt(result)
  return spread

def deviation_and_mean(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tuple[Tensor, Tensor]:
  less = 1.0 if correction is None else float(correction)
  dims = chosen(self, dim)
  result = corrected(self, dims, less, keepdim)
  return (torch.sqrt(result), torch.mean(self, dims, keepdim))

def variance(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tensor:
  less = 1.0 if correction is None else float(correction)
  dims = chosen(self, dim)
  if less == 0.0 or less == 1.0:
    spread = torch.var(self, dims, less == 1.0, keepdim)
  else:
    result = corrected(self, dims, less, keepdim)
    spread = result
  return spread

def variance_and_mean(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tuple[Tensor, Tensor]:
  less = 1.0 if correction is None else float(correction)
  dims = chosen(self, dim)
  result = corrected(self, dims, less, keepdim)
  return (result, torch.mean(self, dims, keepdim))

# The dimensions that are reduced: all where none is named.

def chosen(self: Tensor, dim: Optional[List[int]]) -> List[int]:
  dims: List[int] = []
  if dim is not None:
    dims = dim
  if len(dims) == 0:
    for i in range(self.dim()):
      dims = dims + [i]
  return dims

# The variance with the correction `less`.

def corrected(self: Tensor, dims: List[int], less: float, keepdim: bool) -> Tensor:
  count = 1.0
  for i in range(len(dims)):
    count = count * float(self.size(dims[i]))
  rest = count - less if count > less else 0.0
  result = torch.div(torch.mul(torch.var(self, dims, False, keepdim), count), rest)
  return result

# Up to 1.12 the dimensions of a mean were a list and not left open; none in it meant all.

def mean_dim_to_1_12(self: Tensor, dim: Optional[List[int]], keepdim: bool=False, *, dtype: Optional[int]=None) -> Tensor:
  dims = chosen(self, dim)
  return torch.mean(self, dims, keepdim, dtype=dtype)
