# Matrices and vectors, before linalg.

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

def linalg_cholesky_to_1_7(self: Tensor, *, upper: bool=False) -> Tensor:
  return torch.cholesky(self, upper)

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

# A norm of no order is that of all elements, or of those along the dimensions.

def linalg_norm_to_1_6(self: Tensor, ord: Optional[number]=None, dim: Optional[List[int]]=None, keepdim: bool=False, *, dtype: Optional[int]=None) -> Tensor:
  value = self
  if dtype is not None:
    value = self.to(dtype)
  dims: List[int] = []
  if dim is None:
    for i in range(self.dim()):
      dims.append(i)
  else:
    dims = dim
  return torch.norm(value, 2, dims, keepdim)

# Up to 1.12 the order of products was that of the operands, and no part of the call.

def einsum_to_1_12(equation: str, tensors: List[Tensor], *, path: Optional[List[int]]=None) -> Tensor:
  return torch.einsum(equation, tensors)
