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

def unflatten_int_to_1_7(self: Tensor, dim: int, sizes: List[int]) -> Tensor:
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

# Up to 1.9 grids are indexed by rows first.

def meshgrid_indexing_to_1_9(tensors: List[Tensor], *, indexing: str) -> List[Tensor]:
  if indexing == "ij" or len(tensors) < 2:
    return torch.meshgrid(tensors)
  swapped = [tensors[1], tensors[0]]
  for i in range(len(tensors) - 2):
    swapped.append(tensors[i + 2])
  grids = torch.meshgrid(swapped)
  result = [grids[1], grids[0]]
  for i in range(len(tensors) - 2):
    result.append(grids[i + 2])
  return result
