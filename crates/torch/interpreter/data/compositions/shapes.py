# Operators that move elements: views, copies, joins and parts. How these files are read: src/operators/compositions.rs.

# aten::positive(Tensor(a) self) -> Tensor(a)
# aten::resolve_neg(Tensor(a) self) -> Tensor(a)
# aten::resolve_conj(Tensor(a) self) -> Tensor(a)
def itself(self):
  return self

# aten::alias_copy(Tensor self) -> Tensor
def alias_copy(self):
  return self.clone()

# aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
def expand_copy(self, size, implicit):
  return self.expand(size).clone()

# aten::permute_copy(Tensor self, int[] dims) -> Tensor
def permute_copy(self, dims):
  return self.permute(dims).clone()

# aten::squeeze_copy(Tensor self) -> Tensor
def squeeze_copy(self):
  return self.squeeze().clone()

# aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
# aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor
def squeeze_copy_dim(self, dim):
  return self.squeeze(dim).clone()

# aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
def unsqueeze_copy(self, dim):
  return self.unsqueeze(dim).clone()

# aten::t_copy(Tensor self) -> Tensor
def t_copy(self):
  return self.t().clone()

# aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
def transpose_copy(self, dim0, dim1):
  return self.transpose(dim0, dim1).clone()

# aten::view_copy(Tensor self, SymInt[] size) -> Tensor
def view_copy(self, size):
  return self.view(size).clone()

# aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor
def select_copy(self, dim, index):
  return self.select(dim, index).clone()

# aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor
def slice_copy(self, dim, start, end, step):
  return torch.slice(self, dim, start, end, step).clone()

# aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
def diagonal_copy(self, offset, dim1, dim2):
  return self.diagonal(offset, dim1, dim2).clone()

# aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
def narrow_copy(self, dim, start, length):
  return self.narrow(dim, start, length).clone()

# aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
def as_strided_copy(self, size, stride, storage_offset):
  return self.as_strided(size, stride, storage_offset).clone()

# aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor
def as_strided_scatter(self, src, size, stride, storage_offset):
  result = self.clone()
  result.as_strided(size, stride, storage_offset).copy_(src)
  return result

# aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
def unfold_copy(self, dimension, size, step):
  return self.unfold(dimension, size, step).clone()

def clones(tensors):
  result = []
  for at in range(len(tensors)):
    result.append(tensors[at].clone())
  return result

# aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
def split_with_sizes_copy(self, split_sizes, dim):
  return __torch__.clones(self.split_with_sizes(split_sizes, dim))

# aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
def split_copy(self, split_size, dim):
  return __torch__.clones(self.split(split_size, dim))

# aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
def unbind_copy(self, dim):
  return __torch__.clones(self.unbind(dim))

# aten::ravel(Tensor(a) self) -> Tensor(a)
def ravel(self):
  return self.contiguous().reshape([-1])

# aten::fliplr(Tensor self) -> Tensor
def fliplr(self):
  return self.flip([1])

# aten::flipud(Tensor self) -> Tensor
def flipud(self):
  return self.flip([0])

# aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
def rot90(self, k, dims):
  turns = k % 4
  if turns == 1:
    return self.flip([dims[1]]).transpose(dims[0], dims[1]).clone()
  if turns == 2:
    return self.flip(dims)
  if turns == 3:
    return self.flip([dims[0]]).transpose(dims[0], dims[1]).clone()
  return self.clone()

# aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
# aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
def movedim(self, source, destination):
  rank = self.dim()
  order = [-1] * rank
  moved = [False] * rank
  for at in range(len(source)):
    order[destination[at] % rank] = source[at] % rank
    moved[source[at] % rank] = True
  left = 0
  for at in range(rank):
    if order[at] < 0:
      while moved[left]:
        left = left + 1
      order[at] = left
      left = left + 1
  return self.permute(order)

# aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)
def moveaxis(self, source, destination):
  return self.movedim(source, destination)

# aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
def swapdims(self, dim0, dim1):
  return self.transpose(dim0, dim1)

# aten::matrix_H(Tensor(a) self) -> Tensor(a)
def matrix_H(self):
  return self.transpose(-2, -1).conj()

# aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)
def linalg_diagonal(A, offset, dim1, dim2):
  return A.diagonal(offset, dim1, dim2)

# aten::diagflat(Tensor self, int offset=0) -> Tensor
def diagflat(self, offset):
  return self.contiguous().reshape([-1]).diag(offset)

# aten::atleast_1d(Tensor self) -> Tensor
def atleast_1d(self):
  if self.dim() == 0:
    return self.reshape([1])
  return self

# aten::atleast_2d(Tensor self) -> Tensor
def atleast_2d(self):
  if self.dim() == 0:
    return self.reshape([1, 1])
  if self.dim() == 1:
    return self.unsqueeze(0)
  return self

# aten::atleast_3d(Tensor self) -> Tensor
def atleast_3d(self):
  if self.dim() == 0:
    return self.reshape([1, 1, 1])
  if self.dim() == 1:
    return self.unsqueeze(0).unsqueeze(-1)
  if self.dim() == 2:
    return self.unsqueeze(-1)
  return self

# aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]
def atleast_1d_all(tensors):
  result = []
  for at in range(len(tensors)):
    result.append(torch.atleast_1d(tensors[at]))
  return result

# aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]
def atleast_2d_all(tensors):
  result = []
  for at in range(len(tensors)):
    result.append(torch.atleast_2d(tensors[at]))
  return result

# aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]
def atleast_3d_all(tensors):
  result = []
  for at in range(len(tensors)):
    result.append(torch.atleast_3d(tensors[at]))
  return result

# out aten::hstack(Tensor[] tensors) -> Tensor
def hstack(tensors):
  all = torch.atleast_1d(tensors)
  if all[0].dim() == 1:
    return torch.cat(all, 0)
  return torch.cat(all, 1)

# out aten::vstack(Tensor[] tensors) -> Tensor
# out aten::row_stack(Tensor[] tensors) -> Tensor
def vstack(tensors):
  return torch.cat(torch.atleast_2d(tensors), 0)

# out aten::dstack(Tensor[] tensors) -> Tensor
def dstack(tensors):
  return torch.cat(torch.atleast_3d(tensors), 2)

# out aten::column_stack(Tensor[] tensors) -> Tensor
def column_stack(tensors):
  all = []
  for at in range(len(tensors)):
    one = tensors[at]
    if one.dim() < 2:
      one = one.reshape([one.numel(), 1])
    all.append(one)
  return torch.hstack(all)

# aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
# aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
def dsplit(self, at):
  return self.tensor_split(at, 2)

# aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
def tensor_split(self, at, dim):
  if at.dim() == 0:
    return self.tensor_split(int(at), dim)
  places = []
  for nth in range(at.numel()):
    places.append(int(at[nth]))
  return self.tensor_split(places, dim)

# aten::tile(Tensor self, SymInt[] dims) -> Tensor
def tile(self, dims):
  if len(dims) < self.dim():
    return self.repeat([1] * (self.dim() - len(dims)) + dims)
  return self.repeat(dims)

# aten::block_diag(Tensor[] tensors) -> Tensor
def block_diag(tensors):
  all = []
  height = 0
  width = 0
  dtype = tensors[0].dtype
  for at in range(len(tensors)):
    one = torch.atleast_2d(tensors[at])
    height = height + one.size(0)
    width = width + one.size(1)
    dtype = torch.promote_types(dtype, one.dtype)
    all.append(one)
  result = torch.zeros([height, width], dtype=dtype)
  row = 0
  column = 0
  for at in range(len(all)):
    one = all[at]
    result.narrow(0, row, one.size(0)).narrow(1, column, one.size(1)).copy_(one)
    row = row + one.size(0)
    column = column + one.size(1)
  return result

# aten::cartesian_prod(Tensor[] tensors) -> Tensor
def cartesian_prod(tensors):
  if len(tensors) == 1:
    return tensors[0]
  grids = torch.meshgrid(tensors)
  flat = []
  for at in range(len(grids)):
    flat.append(grids[at].reshape([-1]))
  return torch.stack(flat, 1)

# aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor
def combinations(self, r, with_replacement):
  count = self.numel()
  if r == 0:
    return torch.empty([0], dtype=self.dtype)
  chosen = []
  places = [0] * r
  at = 0
  while at >= 0:
    if places[at] >= count:
      at = at - 1
      if at >= 0:
        places[at] = places[at] + 1
    elif at == r - 1:
      chosen = chosen + places
      places[at] = places[at] + 1
    else:
      next = places[at]
      if not with_replacement:
        next = next + 1
      at = at + 1
      places[at] = next
  index = torch.tensor(chosen, dtype=torch.int64)
  return self.take(index).reshape([-1, r]) if len(chosen) > 0 else torch.empty([0, r], dtype=self.dtype)

# aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor
def chunk_cat(tensors, dim, num_chunks):
  parts = []
  for at in range(len(tensors)):
    one = tensors[at]
    wrapped = dim % one.dim()
    size = one.size(wrapped)
    wide = (size + num_chunks - 1) // num_chunks * num_chunks
    shape = one.shape
    shape[wrapped] = wide - size
    full = torch.cat([one, torch.zeros(shape, dtype=one.dtype)], wrapped)
    parts.append(full.reshape(shape[:wrapped] + [num_chunks, -1]))
  return torch.cat(parts, dim % tensors[0].dim() + 1)

# aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor
def repeat_interleave(repeats, output_size):
  places = []
  for at in range(repeats.numel()):
    places = places + [at] * int(repeats[at])
  return torch.tensor(places, dtype=repeats.dtype)

# aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor
def repeat_interleave_self(self, repeats, dim, output_size):
  if dim is None:
    return __torch__.repeat_interleave_self(self.contiguous().reshape([-1]), repeats, 0, None)
  times = repeats
  if repeats.numel() == 1:
    times = repeats.reshape([1]).expand([self.size(dim)])
  return self.index_select(dim, torch.repeat_interleave(times))

# aten::argwhere(Tensor self) -> Tensor
def argwhere(self):
  return self.nonzero()

# aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor
def nonzero_static(self, size, fill_value):
  found = self.nonzero()
  result = torch.full([size, self.dim()], fill_value, dtype=torch.int64)
  count = min(size, found.size(0))
  result.narrow(0, 0, count).copy_(found.narrow(0, 0, count))
  return result

# aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor
def unsafe_masked_index(self, mask, indices, fill):
  inside = []
  for at in range(len(indices)):
    index = indices[at]
    if index is None:
      inside.append(None)
    else:
      inside.append(index.clamp(0, self.size(at) - 1))
  return torch.index(self, inside).masked_fill(torch.logical_not(mask), fill)

# aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor
def unsafe_masked_index_put_accumulate(self, mask, indices, values):
  inside = []
  for at in range(len(indices)):
    index = indices[at]
    if index is None:
      inside.append(None)
    else:
      inside.append(index.clamp(-self.size(at), self.size(at) - 1))
  return torch.index_put(self, inside, values.masked_fill(torch.logical_not(mask), 0), True)

# aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor
def im2col(self, kernel_size, dilation, padding, stride):
  x = self
  if self.dim() == 3:
    x = self.unsqueeze(0)
  x = torch.constant_pad_nd(x, [padding[1], padding[1], padding[0], padding[0]], 0)
  rows = (x.size(2) - dilation[0] * (kernel_size[0] - 1) - 1) // stride[0] + 1
  columns = (x.size(3) - dilation[1] * (kernel_size[1] - 1) - 1) // stride[1] + 1
  parts = []
  for row in range(kernel_size[0]):
    for column in range(kernel_size[1]):
      top = row * dilation[0]
      left = column * dilation[1]
      part = torch.slice(x, 2, top, top + (rows - 1) * stride[0] + 1, stride[0])
      parts.append(torch.slice(part, 3, left, left + (columns - 1) * stride[1] + 1, stride[1]))
  result = torch.stack(parts, 2).reshape([x.size(0), x.size(1) * len(parts), rows * columns])
  if self.dim() == 3:
    return result.squeeze(0)
  return result

# aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor
def col2im(self, output_size, kernel_size, dilation, padding, stride):
  x = self
  if self.dim() == 2:
    x = self.unsqueeze(0)
  height = output_size[0] + 2 * padding[0]
  width = output_size[1] + 2 * padding[1]
  rows = (height - dilation[0] * (kernel_size[0] - 1) - 1) // stride[0] + 1
  columns = (width - dilation[1] * (kernel_size[1] - 1) - 1) // stride[1] + 1
  taps = kernel_size[0] * kernel_size[1]
  channels = x.size(1) // taps
  parts = x.reshape([x.size(0), channels, taps, rows, columns])
  result = torch.zeros([x.size(0), channels, height, width], dtype=x.dtype)
  for row in range(kernel_size[0]):
    for column in range(kernel_size[1]):
      top = row * dilation[0]
      left = column * dilation[1]
      part = torch.slice(result, 2, top, top + (rows - 1) * stride[0] + 1, stride[0])
      part = torch.slice(part, 3, left, left + (columns - 1) * stride[1] + 1, stride[1])
      part.add_(parts.select(2, row * kernel_size[1] + column))
  result = result.narrow(2, padding[0], output_size[0]).narrow(3, padding[1], output_size[1]).clone()
  if self.dim() == 2:
    return result.squeeze(0)
  return result

# aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor
def max_pool2d_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices):
  shape = self.shape
  outer = shape[:len(shape) - 2]
  flat = torch.zeros(outer + [shape[len(shape) - 2] * shape[len(shape) - 1]], dtype=self.dtype)
  places = indices.reshape(outer + [-1])
  return flat.scatter_add(-1, places, grad_output.reshape(outer + [-1])).reshape(shape)

# aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)
def unique_consecutive(self, return_inverse, return_counts, dim):
  along = self.contiguous().reshape([-1]) if dim is None else self
  axis = 0 if dim is None else dim
  kept = []
  inverse = []
  counts = []
  for at in range(along.size(axis)):
    is_new = at == 0
    if at > 0:
      is_new = bool(torch.any(along.select(axis, at) != along.select(axis, at - 1)))
    if is_new:
      kept.append(at)
      counts.append(0)
    inverse.append(len(kept) - 1)
    counts[len(counts) - 1] = counts[len(counts) - 1] + 1
  values = along.index_select(axis, torch.tensor(kept, dtype=torch.int64))
  none = torch.empty([0], dtype=torch.int64)
  places = none
  if return_inverse or dim is not None:
    places = torch.tensor(inverse, dtype=torch.int64)
    if dim is None:
      places = places.reshape(self.shape)
  sizes = none
  if return_counts or dim is not None:
    sizes = torch.tensor(counts, dtype=torch.int64)
  return values, places, sizes

# aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)
def embedding_renorm(self, indices, max_norm, norm_type):
  places = indices.reshape([-1])
  for at in range(places.numel()):
    row = self[int(places[at])]
    norm = float(torch.norm(row, norm_type))
    if norm > max_norm:
      row.mul_(max_norm / (norm + 1e-07))
  return self

# aten::_infer_size(SymInt[] a, SymInt[] b) -> SymInt[]
def infer_size(a, b):
  rank = max(len(a), len(b))
  result = []
  for at in range(rank):
    p = 1 if at < rank - len(a) else a[at - rank + len(a)]
    q = 1 if at < rank - len(b) else b[at - rank + len(b)]
    result.append(q if p == 1 else p)
  return result

# aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)
def unique_dim(self, dim, sorted, return_inverse, return_counts):
  size = self.size(dim)
  rows = self.movedim(dim, 0).reshape([size, -1])
  order = []
  for at in range(size):
    place = 0
    going = True
    while going and place < len(order):
      apart = torch.nonzero(rows[at] != rows[order[place]])
      if apart.size(0) > 0 and bool(rows[at][int(apart[0][0])] < rows[order[place]][int(apart[0][0])]):
        going = False
      else:
        place = place + 1
    order.insert(place, at)
  by_rank = self.index_select(dim, torch.tensor(order, dtype=torch.int64))
  values, places, counts = torch.unique_consecutive(by_rank, True, True, dim)
  inverse = torch.zeros_like(places)
  for at in range(size):
    inverse[order[at]].fill_(places[at])
  return values, inverse, counts
