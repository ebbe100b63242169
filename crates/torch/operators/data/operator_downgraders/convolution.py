# Convolutions that say how they pad in words.

def conv1d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1], padding: str='valid', dilation: List[int]=[1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv1d(input, weight, bias, stride, [0], dilation, groups)
  rest = same_size(weight, dilation, 1)
  return torch.conv1d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

def conv2d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1, 1], padding: str='valid', dilation: List[int]=[1, 1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv2d(input, weight, bias, stride, [0], dilation, groups)
  rest = same_size(weight, dilation, 2)
  return torch.conv2d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

def conv3d_padding_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor]=None, stride: List[int]=[1, 1, 1], padding: str='valid', dilation: List[int]=[1, 1, 1], groups: int=1) -> Tensor:
  if padding == 'valid':
    return torch.conv3d(input, weight, bias, stride, [0], dilation, groups)
  rest = same_size(weight, dilation, 3)
  return torch.conv3d(torch.constant_pad_nd(input, rest, 0), weight, bias, stride, [0], dilation, groups)

# The same as it is traced, for any number of dimensions.

def _convolution_mode_to_1_8(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: str, dilation: List[int], groups: int) -> Tensor:
  rank = weight.dim() - 2
  steps: List[int] = []
  nothing: List[int] = []
  rates: List[int] = []
  for n in range(rank):
    steps = steps + [stride[n if len(stride) > 1 else 0]]
    rates = rates + [dilation[n if len(dilation) > 1 else 0]]
    nothing = nothing + [0]
  padded = input
  if padding != 'valid':
    rest = same_size(weight, dilation, rank)
    padded = torch.constant_pad_nd(input, rest, 0)
  return torch.convolution(padded, weight, bias, steps, nothing, rates, False, nothing, groups)

# The padding that keeps the size, the last dimension first.

def same_size(weight: Tensor, dilation: List[int], rank: int) -> List[int]:
  rest: List[int] = []
  for i in range(rank):
    axis = rank - 1 - i
    total = dilation[axis if len(dilation) > 1 else 0] * (weight.size(axis + 2) - 1)
    rest = rest + [total // 2, total - total // 2]
  return rest

# Up to 1.6 nobody was asked whether TF32 may be used, and nothing used it.

def _convolution_to_1_6(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int, benchmark: bool, deterministic: bool, cudnn_enabled: bool, allow_tf32: bool) -> Tensor:
  return torch._convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled)
