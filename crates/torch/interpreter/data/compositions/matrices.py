# Products of matrices and vectors, and what solves them.

# aten::inner(Tensor self, Tensor other) -> Tensor
def inner(self, other):
  if self.dim() == 0 or other.dim() == 0:
    return self * other
  return torch.tensordot(self, other, [-1], [-1])

# aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
def tensordot(self, other, dims_self, dims_other):
  left = []
  left_kept = []
  shape = []
  for at in range(self.dim()):
    gone = False
    for nth in range(len(dims_self)):
      gone = gone or dims_self[nth] % self.dim() == at
    if not gone:
      left_kept.append(at)
      shape.append(self.size(at))
  right_kept = []
  for at in range(other.dim()):
    gone = False
    for nth in range(len(dims_other)):
      gone = gone or dims_other[nth] % other.dim() == at
    if not gone:
      right_kept.append(at)
      shape.append(other.size(at))
  a_dims = []
  b_dims = []
  inner = 1
  for nth in range(len(dims_self)):
    p = dims_self[nth] % self.dim()
    q = dims_other[nth] % other.dim()
    inner = inner * max(self.size(p), other.size(q))
    a_dims.append(p)
    b_dims.append(q)
  rows = 1
  for at in range(len(left_kept)):
    rows = rows * self.size(left_kept[at])
  columns = 1
  for at in range(len(right_kept)):
    columns = columns * other.size(right_kept[at])
  a = self.permute(left_kept + a_dims).reshape([rows, inner])
  b = other.permute(b_dims + right_kept).reshape([inner, columns])
  return torch.mm(a, b).reshape(shape)

# aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor
def vecdot(x, y, dim):
  return torch.sum(torch.conj(x) * y, [dim])

# all aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
def addbmm(self, batch1, batch2, beta, alpha):
  product = torch.sum(torch.bmm(batch1, batch2), [0], dtype=self.dtype)
  if self.is_floating_point() or self.is_complex():
    return self * beta + product * alpha
  return self * int(beta) + product * int(alpha)

# all aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
def addr(self, vec1, vec2, beta, alpha):
  product = torch.outer(vec1, vec2)
  if self.dtype == torch.bool:
    kept = torch.logical_and(self, torch.tensor(bool(beta)))
    return torch.logical_or(kept, torch.logical_and(product, torch.tensor(bool(alpha))))
  if beta == 0:
    return product * alpha
  return self * beta + product * alpha

# aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
def bilinear(input1, input2, weight, bias):
  shape = input1.shape
  a = input1.reshape([-1, input1.size(-1)])
  b = input2.reshape([-1, input2.size(-1)])
  parts = []
  for at in range(weight.size(0)):
    parts.append(torch.sum(torch.mm(a, weight[at]) * b, [1], dtype=input1.dtype))
  result = torch.stack(parts, 1)
  if bias is not None:
    result = result + bias
  shape[len(shape) - 1] = weight.size(0)
  return result.reshape(shape)

# aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor
def linalg_cross(self, other, dim):
  all = torch.broadcast_tensors([self, other])
  a = all[0]
  b = all[1]
  parts = []
  for at in range(3):
    p = (at + 1) % 3
    q = (at + 2) % 3
    parts.append(a.select(dim, p) * b.select(dim, q) - a.select(dim, q) * b.select(dim, p))
  return torch.stack(parts, dim % a.dim())

# aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor
def cross(self, other, dim):
  if dim is not None:
    return torch.linalg_cross(self, other, dim=dim)
  found = 0
  while self.size(found) != 3:
    found = found + 1
  return torch.linalg_cross(self, other, dim=found)

# aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor
def linalg_vander(x, N):
  count = x.size(-1)
  if N is not None:
    count = N
  one = torch.ones_like(x, dtype=torch.int64 if not (x.is_floating_point() or x.is_complex()) else x.dtype)
  columns = []
  for at in range(count):
    columns.append(one)
    one = one * x
  return torch.stack(columns, -1)

# aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor
def vander(x, N, increasing):
  result = torch.linalg_vander(x, N=N)
  if increasing:
    return result
  return result.flip([-1])

# aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor
def tensorinv(self, ind):
  shape = self.shape
  rows = 1
  for at in range(ind):
    rows = rows * shape[at]
  return torch.linalg_inv(self.reshape([rows, -1])).reshape(shape[ind:] + shape[:ind])

# aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor
def tensorsolve(self, other, dims):
  a = self
  if dims is not None:
    targets = []
    for at in range(len(dims)):
      targets.append(self.dim() - len(dims) + at)
    a = self.movedim(dims, targets)
  count = 1
  for at in range(other.dim()):
    count = count * other.size(at)
  shape = a.shape
  result = torch.linalg_solve(a.reshape([count, -1]), other.reshape([-1]))
  return result.reshape(shape[other.dim():])

def done(x):
  return torch.zeros(x.shape[:x.dim() - 2], dtype=torch.int32)

# aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)
def solve_ex(A, B, left, check_errors):
  return torch.linalg_solve(A, B, left=left), __torch__.done(A)

# aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)
def inv_ex(A, check_errors):
  return torch.linalg_inv(A), __torch__.done(A)

# aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)
def cholesky_ex(self, upper, check_errors):
  return torch.linalg_cholesky(self, upper=upper), __torch__.done(self)

# aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
def matrix_norm(self, ord, dim, keepdim, dtype):
  x = self
  if dtype is not None:
    x = self.to(dtype)
  a = dim[0] % x.dim()
  b = dim[1] % x.dim()
  if ord == 2 or ord == -2:
    values = torch.linalg_svdvals(x.movedim([a, b], [-2, -1]))
    result = torch.amax(values, [-1]) if ord > 0 else torch.amin(values, [-1])
  else:
    if ord == inf or ord == -inf:
      sums = torch.sum(torch.abs(x), [b], True)
    else:
      sums = torch.sum(torch.abs(x), [a], True)
    result = torch.amax(sums, [a, b]) if ord > 0 else torch.amin(sums, [a, b])
  if keepdim:
    return result.unsqueeze(min(a, b)).unsqueeze(max(a, b))
  return result

# aten::linalg_matrix_norm.str_ord(Tensor self, str ord="fro", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
def matrix_norm_named(self, ord, dim, keepdim, dtype):
  x = self
  if dtype is not None:
    x = self.to(dtype)
  if ord == "fro":
    return torch.linalg_vector_norm(x, 2, dim, keepdim)
  a = dim[0] % x.dim()
  b = dim[1] % x.dim()
  result = torch.sum(torch.linalg_svdvals(x.movedim([a, b], [-2, -1])), [-1])
  if keepdim:
    return result.unsqueeze(min(a, b)).unsqueeze(max(a, b))
  return result

# aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor
def cond(self, p):
  if p is None or p == 2 or p == -2:
    values = torch.linalg_svdvals(self)
    if p is not None and p == -2:
      return torch.amin(values, [-1]) / torch.amax(values, [-1])
    return torch.amax(values, [-1]) / torch.amin(values, [-1])
  return torch.linalg_matrix_norm(self, p) * torch.linalg_matrix_norm(torch.linalg_inv(self), p)

# aten::linalg_cond.p_str(Tensor self, str p) -> Tensor
def cond_named(self, p):
  if p == "nuc":
    values = torch.linalg_svdvals(self)
    return torch.sum(values, [-1]) * torch.sum(torch.reciprocal(values), [-1])
  return torch.linalg_matrix_norm(self, p) * torch.linalg_matrix_norm(torch.linalg_inv(self), p)

# aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor
def nuclear_norm(self, keepdim):
  return torch.linalg_matrix_norm(self, "nuc", [-2, -1], keepdim)

# aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor
def nuclear_norm_dim(self, dim, keepdim):
  return torch.linalg_matrix_norm(self, "nuc", dim, keepdim)

# aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor
# aten::orgqr(Tensor self, Tensor input2) -> Tensor
def householder_product(input, tau):
  rows = input.size(-2)
  columns = input.size(-1)
  result = torch.eye(rows, dtype=input.dtype).expand(input.shape[:input.dim() - 2] + [rows, rows])
  result = result.narrow(-1, 0, columns)
  for back in range(tau.size(-1)):
    at = tau.size(-1) - 1 - back
    v = __torch__.reflector(input, at)
    scale = tau.narrow(-1, at, 1).unsqueeze(-1)
    result = result - torch.matmul(v, torch.matmul(torch.conj(v.transpose(-2, -1)), result)) * scale
  return result

def reflector(input, at):
  v = torch.tril(input, -1).narrow(-1, at, 1).clone()
  v.select(-1, 0).select(-1, at).fill_(1)
  return v

# aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor
def ormqr(self, input2, input3, left, transpose):
  result = input3
  count = input2.size(-1)
  order = []
  for at in range(count):
    order.append(count - 1 - at if left != transpose else at)
  for nth in range(count):
    v = __torch__.reflector(self, order[nth])
    scale = input2.narrow(-1, order[nth], 1).unsqueeze(-1)
    if transpose:
      scale = torch.conj(scale)
    h = torch.conj(v.transpose(-2, -1))
    if left:
      result = result - torch.matmul(v, torch.matmul(h, result)) * scale
    else:
      result = result - torch.matmul(torch.matmul(result, v), h) * scale
  return result

# aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)
def lu_factor(A, pivot):
  LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot)
  return LU, pivots

# aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)
def lu_with_info(self, pivot, check_errors):
  return torch.linalg_lu_factor_ex(self, pivot=pivot)

# aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)
def lu(A, pivot):
  LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot)
  P, L, U = torch.lu_unpack(LU, pivots)
  if not pivot:
    P = torch.empty([0], dtype=A.dtype)
  return P, L, U

# aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)
def lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots):
  rows = LU_data.size(-2)
  size = min(rows, LU_data.size(-1))
  P = torch.empty([0], dtype=LU_data.dtype)
  L = torch.empty([0], dtype=LU_data.dtype)
  U = torch.empty([0], dtype=LU_data.dtype)
  if unpack_data:
    L = torch.tril(LU_data.narrow(-1, 0, size), -1) + torch.eye(rows, size, dtype=LU_data.dtype)
    U = torch.triu(LU_data.narrow(-2, 0, size))
  if unpack_pivots:
    P = __torch__.permutation(LU_pivots, rows, LU_data.dtype)
  return P, L, U

def permutation(pivots, rows, dtype):
  all = pivots.reshape([-1, pivots.size(-1)])
  parts = []
  for at in range(all.size(0)):
    order = []
    for row in range(rows):
      order.append(row)
    for nth in range(all.size(1)):
      other = int(all[at][nth]) - 1
      kept = order[nth]
      order[nth] = order[other]
      order[other] = kept
    eye = torch.eye(rows, dtype=dtype)
    parts.append(eye.index_select(1, torch.tensor(order)) if rows > 0 else eye)
  if len(parts) == 0:
    return torch.empty(pivots.shape[:pivots.dim() - 1] + [rows, rows], dtype=dtype)
  return torch.stack(parts).reshape(pivots.shape[:pivots.dim() - 1] + [rows, rows])

# aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor
def linalg_lu_solve(LU, pivots, B, left, adjoint):
  P, L, U = torch.lu_unpack(LU, pivots)
  A = torch.matmul(P, torch.matmul(L, U))
  if adjoint:
    A = torch.conj(A.transpose(-2, -1))
  return torch.linalg_solve(A, B, left=left)

# aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor
def lu_solve(self, LU_data, LU_pivots):
  P, L, U = torch.lu_unpack(LU_data, LU_pivots)
  steps = torch.linalg_solve_triangular(L, torch.matmul(P.transpose(-2, -1), self), upper=False, unitriangular=True)
  return torch.linalg_solve_triangular(U, steps, upper=True)

# aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor
def pinv_rcond(self, rcond, hermitian):
  if self.numel() == 0:
    return self.transpose(-2, -1).clone()
  return torch.linalg_pinv(self, float(rcond), hermitian)

# aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor
def pinv_tensors(self, atol, rtol, hermitian):
  if self.numel() == 0:
    return self.transpose(-2, -1).clone()
  absolute = None if atol is None else float(atol)
  relative = None if rtol is None else float(rtol)
  return torch.linalg_pinv(self, atol=absolute, rtol=relative, hermitian=hermitian)

# aten::linalg_matrix_exp(Tensor self) -> Tensor
# aten::matrix_exp(Tensor self) -> Tensor
def matrix_exp(self):
  x = self.to(torch.complex128 if self.is_complex() else torch.float64)
  size = torch.sum(torch.abs(x), [-1]).reshape([-1])
  halvings = 0
  if size.numel() > 0:
    largest = float(torch.max(size))
    while largest > 0.25:
      largest = largest / 2
      halvings = halvings + 1
  x = x / (2 ** halvings)
  result = torch.eye(x.size(-1), dtype=x.dtype).expand(x.shape)
  term = result
  for at in range(1, 20):
    term = torch.matmul(term, x) / at
    result = result + term
  for at in range(halvings):
    result = torch.matmul(result, result)
  return result.to(self.dtype)
