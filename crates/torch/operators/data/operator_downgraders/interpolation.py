# Interpolation to the nearest element by its centre.

def _upsample_nearest_exact1d_to_1_10(self: Tensor, output_size: List[int], scales: Optional[float]=None) -> Tensor:
  steps = steps_of_1d(self, output_size, scales)
  return nearest_exact(self, output_size, steps, 1)

def _upsample_nearest_exact1d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return nearest_exact_by_factors(input, output_size, scale_factors, 1)

def _upsample_nearest_exact2d_to_1_10(self: Tensor, output_size: List[int], scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  steps = steps_of_2d(self, output_size, scales_h, scales_w)
  return nearest_exact(self, output_size, steps, 2)

def _upsample_nearest_exact2d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return nearest_exact_by_factors(input, output_size, scale_factors, 2)

def _upsample_nearest_exact3d_to_1_10(self: Tensor, output_size: List[int], scales_d: Optional[float]=None, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  steps = steps_of_3d(self, output_size, scales_d, scales_h, scales_w)
  return nearest_exact(self, output_size, steps, 3)

def _upsample_nearest_exact3d_vec_to_1_10(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  return nearest_exact_by_factors(input, output_size, scale_factors, 3)

def nearest_exact(input: Tensor, sizes: List[int], steps: List[float], rank: int) -> Tensor:
  result = input
  for i in range(rank):
    places = torch.floor(torch.mul(torch.add(torch.arange(sizes[i], dtype=6, device=input.device), 0.5), steps[i]))
    places = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
    result = torch.index_select(result, i + 2, places)
  return result

def nearest_exact_by_factors(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]], rank: int) -> Tensor:
  result = input
  for i in range(rank):
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
  sizes, steps, whole, exact = sizes_of(input, align_corners, scale_factors, 1)
  if whole or exact:
    return torch.upsample_linear1d(input, sizes, align_corners)
  return linear(input, sizes, steps, 1)

def upsample_bilinear2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_bilinear2d(input, output_size, align_corners)
  sizes, steps, whole, exact = sizes_of(input, align_corners, scale_factors, 2)
  if whole or exact:
    return torch.upsample_bilinear2d(input, sizes, align_corners)
  return linear(input, sizes, steps, 2)

def upsample_trilinear3d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_trilinear3d(input, output_size, align_corners)
  sizes, steps, whole, exact = sizes_of(input, align_corners, scale_factors, 3)
  if whole or exact:
    return torch.upsample_trilinear3d(input, sizes, align_corners)
  return linear(input, sizes, steps, 3)

def upsample_bicubic2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_bicubic2d(input, output_size, align_corners)
  sizes, steps, whole, exact = sizes_of(input, align_corners, scale_factors, 2)
  if whole or exact:
    return torch.upsample_bicubic2d(input, sizes, align_corners)
  return cubic(input, sizes, steps)

def upsample_nearest1d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest1d(input, output_size)
  sizes, steps, whole, exact = sizes_of(input, False, scale_factors, 1)
  return nearest(input, sizes, steps, 1)

def upsample_nearest2d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest2d(input, output_size)
  sizes, steps, whole, exact = sizes_of(input, False, scale_factors, 2)
  return nearest(input, sizes, steps, 2)

def upsample_nearest3d_vec_to_1_6(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
  if output_size is not None:
    return torch.upsample_nearest3d(input, output_size)
  sizes, steps, whole, exact = sizes_of(input, False, scale_factors, 3)
  return nearest(input, sizes, steps, 3)

# Interpolation to sizes, with the factors that they came from. Up to 1.4 only the sizes counted.

def upsample_nearest1d_to_1_4(self: Tensor, output_size: List[int], scales: Optional[float]=None) -> Tensor:
  steps = steps_of_1d(self, output_size, scales)
  return nearest(self, output_size, steps, 1)

def upsample_nearest2d_to_1_4(self: Tensor, output_size: List[int], scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  steps = steps_of_2d(self, output_size, scales_h, scales_w)
  return nearest(self, output_size, steps, 2)

def upsample_nearest3d_to_1_4(self: Tensor, output_size: List[int], scales_d: Optional[float]=None, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  steps = steps_of_3d(self, output_size, scales_d, scales_h, scales_w)
  return nearest(self, output_size, steps, 3)

def upsample_linear1d_to_1_4(self: Tensor, output_size: List[int], align_corners: bool, scales: Optional[float]=None) -> Tensor:
  if align_corners or not torch.is_floating_point(self):
    return torch.upsample_linear1d(self, output_size, align_corners)
  steps = steps_of_1d(self, output_size, scales)
  return linear(self, output_size, steps, 1)

def upsample_bilinear2d_to_1_4(self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  if align_corners or not torch.is_floating_point(self):
    return torch.upsample_bilinear2d(self, output_size, align_corners)
  steps = steps_of_2d(self, output_size, scales_h, scales_w)
  return linear(self, output_size, steps, 2)

def upsample_trilinear3d_to_1_4(self: Tensor, output_size: List[int], align_corners: bool, scales_d: Optional[float]=None, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  if align_corners or not torch.is_floating_point(self):
    return torch.upsample_trilinear3d(self, output_size, align_corners)
  steps = steps_of_3d(self, output_size, scales_d, scales_h, scales_w)
  return linear(self, output_size, steps, 3)

def upsample_bicubic2d_to_1_4(self: Tensor, output_size: List[int], align_corners: bool, scales_h: Optional[float]=None, scales_w: Optional[float]=None) -> Tensor:
  if align_corners or not torch.is_floating_point(self):
    return torch.upsample_bicubic2d(self, output_size, align_corners)
  steps = steps_of_2d(self, output_size, scales_h, scales_w)
  return cubic(self, output_size, steps)

# What factors come to: the sizes and the steps, whether nothing depends on the factors, and whether the sizes are exact.

def sizes_of(input: Tensor, align_corners: bool, scale_factors: Optional[List[float]], rank: int) -> Tuple[List[int], List[float], bool, bool]:
  factors: List[float] = []
  if scale_factors is not None:
    factors = scale_factors
  sizes: List[int] = []
  steps: List[float] = []
  whole = align_corners or not torch.is_floating_point(input)
  exact = True
  for axis in range(rank):
    sizes.append(int(torch.floor(float(input.size(axis + 2)) * factors[axis])))
    steps.append(1.0 / factors[axis])
    exact = exact and float(sizes[axis]) == float(input.size(axis + 2)) * factors[axis]
  return (sizes, steps, whole, exact)

# How far apart elements lie: what the factor says, else what the sizes say.

def steps_of_1d(input: Tensor, output_size: List[int], scales: Optional[float]) -> List[float]:
  steps: List[float] = []
  steps.append(float(input.size(2)) / float(output_size[0]) if scales is None else 1.0 / scales)
  return steps

def steps_of_2d(input: Tensor, output_size: List[int], scales_h: Optional[float], scales_w: Optional[float]) -> List[float]:
  steps: List[float] = []
  steps.append(float(input.size(2)) / float(output_size[0]) if scales_h is None else 1.0 / scales_h)
  steps.append(float(input.size(3)) / float(output_size[1]) if scales_w is None else 1.0 / scales_w)
  return steps

def steps_of_3d(input: Tensor, output_size: List[int], scales_d: Optional[float], scales_h: Optional[float], scales_w: Optional[float]) -> List[float]:
  steps: List[float] = []
  steps.append(float(input.size(2)) / float(output_size[0]) if scales_d is None else 1.0 / scales_d)
  steps.append(float(input.size(3)) / float(output_size[1]) if scales_h is None else 1.0 / scales_h)
  steps.append(float(input.size(4)) / float(output_size[2]) if scales_w is None else 1.0 / scales_w)
  return steps

# The elements, weighed. A linear one leaves them as they are where the size stays, whatever the factor says.

def linear(input: Tensor, sizes: List[int], steps: List[float], rank: int) -> Tensor:
  result = input
  for i in range(rank):
    if input.size(i + 2) != sizes[i]:
      places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
      places = torch.clamp(torch.sub(torch.mul(torch.add(places, 0.5), steps[i]), 0.5), 0)
      low = torch.clamp(places.to(4), 0, input.size(i + 2) - 1)
      high = torch.clamp(torch.add(low, 1), 0, input.size(i + 2) - 1)
      shape: List[int] = [-1]
      for j in range(rank - 1 - i):
        shape.append(1)
      part = torch.reshape(torch.sub(places, low.to(places.dtype)), shape).to(input.dtype)
      before = torch.mul(torch.index_select(result, i + 2, low), torch.add(torch.neg(part), 1))
      result = torch.add(before, torch.mul(torch.index_select(result, i + 2, high), part))
  return result

def cubic(input: Tensor, sizes: List[int], steps: List[float]) -> Tensor:
  result = input
  for i in range(2):
    places = torch.arange(sizes[i], dtype=7 if input.dtype == 7 else 6, device=input.device)
    places = torch.sub(torch.mul(torch.add(places, 0.5), steps[i]), 0.5)
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

def nearest(input: Tensor, sizes: List[int], steps: List[float], rank: int) -> Tensor:
  result = input
  for i in range(rank):
    places = torch.floor(torch.mul(torch.arange(sizes[i], dtype=6, device=input.device), steps[i]))
    result = torch.index_select(result, i + 2, torch.clamp(places.to(4), 0, input.size(i + 2) - 1))
  return result
