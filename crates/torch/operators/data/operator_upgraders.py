# What old files meant by an operator, with the operators of today. Each function stands for one schema of
# operator_versions.yaml. The numbers in its name are the operator versions of the files, or the release.

# Below version 4 dividing integers gave integers.

def div_Tensor_0_3(self: Tensor, other: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point():
    return self.true_divide(other)
  return self.divide(other, rounding_mode='trunc')

def div_Scalar_0_3(self: Tensor, other: number) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    return self.true_divide(other)
  return self.divide(other, rounding_mode='trunc')

def div_out_0_3(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point() or out.is_floating_point():
    return torch.true_divide(self, other, out=out)
  return torch.divide(self, other, rounding_mode='trunc', out=out)

def div__Tensor_0_3(self: Tensor, other: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point():
    return self.true_divide_(other)
  return self.divide_(other, rounding_mode='trunc')

def div__Scalar_0_3(self: Tensor, other: number) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    return self.true_divide_(other)
  return self.divide_(other, rounding_mode='trunc')

# With a rounding mode it has not changed.

def div_Tensor_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide(other, rounding_mode=rounding_mode)

def div_Scalar_mode_0_3(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide(other, rounding_mode=rounding_mode)

def div_out_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str], out: Tensor) -> Tensor:
  return torch.divide(self, other, rounding_mode=rounding_mode, out=out)

def div__Tensor_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide_(other, rounding_mode=rounding_mode)

def div__Scalar_mode_0_3(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide_(other, rounding_mode=rounding_mode)

# Below version 5 a tensor was filled with floats unless a type was given.

def full_0_4(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    fill_value = float(fill_value)
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def full_out_0_4(size: List[int], fill_value: number, *, out: Tensor) -> Tensor:
  return torch.full(size, fill_value, out=out)

def full_names_0_4(size: List[int], fill_value: number, *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    fill_value = float(fill_value)
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Below versions 8 and 9 the number of steps had a default.

def linspace_0_7(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if steps is None:
    steps = 100
  return torch.linspace(start, end, steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def linspace_out_0_7(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:
  if steps is None:
    steps = 100
  return torch.linspace(start, end, steps, out=out)

def logspace_0_8(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if steps is None:
    steps = 100
  return torch.logspace(start, end, steps, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def logspace_out_0_8(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:
  if steps is None:
    steps = 100
  return torch.logspace(start, end, steps, base, out=out)

# Below version 10 there was one way to compute it.

def gelu_0_9(self: Tensor) -> Tensor:
  return torch.gelu(self, approximate='none')

def gelu_out_0_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.gelu(self, approximate='none', out=out)

# Before 1.13 floor_divide rounded towards zero.

def floor_divide_before_1_13(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc')

def floor_divide_Scalar_before_1_13(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc')

def floor_divide_out_before_1_13(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc', out=out)

def floor_divide__Tensor_before_1_13(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(other, rounding_mode='trunc')

def floor_divide__Scalar_before_1_13(self: Tensor, other: number) -> Tensor:
  return self.div_(other, rounding_mode='trunc')

# Before 1.4 a range was one of floats unless a type was given.

def arange_before_1_4(end: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(end, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def arange_start_before_1_4(start: number, end: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(start, end, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def arange_start_step_before_1_4(start: number, end: number, step: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(start, end, step, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Linear algebra that moved to linalg_.

def cholesky_before_2_14(self: Tensor, upper: bool=False) -> Tensor:
  return torch.linalg_cholesky(self, upper=upper)

def cholesky_out_before_2_14(self: Tensor, upper: bool=False, *, out: Tensor) -> Tensor:
  return torch.linalg_cholesky(self, upper=upper, out=out)

def qr_before_2_14(self: Tensor, some: bool=True) -> Tuple[Tensor, Tensor]:
  mode = 'reduced' if some else 'complete'
  return torch.linalg_qr(self, mode)

def qr_Q_before_2_14(self: Tensor, some: bool=True, *, Q: Tensor, R: Tensor) -> Tuple[Tensor, Tensor]:
  mode = 'reduced' if some else 'complete'
  return torch.linalg_qr(self, mode, Q=Q, R=R)

def solve_before_1_12(self: Tensor, A: Tensor) -> Tuple[Tensor, Tensor]:
  square = torch.matmul(self, torch.transpose(self, -2, -1))
  factors, pivots = torch.linalg_lu_factor(torch.broadcast_tensors([A, square])[0])
  return (torch.lu_solve(self, factors, pivots), factors)

def solve_solution_before_1_12(self: Tensor, A: Tensor, *, solution: Tensor, lu: Tensor) -> Tuple[Tensor, Tensor]:
  factors, pivots = torch.linalg_lu_factor(A)
  result = torch.lu_solve(self, factors, pivots)
  return (solution.resize_(result.size()).copy_(result), lu.resize_(factors.size()).copy_(factors))

def eig_before_1_13(self: Tensor, eigenvectors: bool=False) -> Tuple[Tensor, Tensor]:
  if eigenvectors:
    values, vectors = torch.linalg_eig(self)
    if torch.is_complex(self):
      return (values, vectors)
    second = torch.lt(torch.imag(values), 0)
    pairs = torch.where(second, torch.neg(torch.imag(vectors)), torch.real(vectors))
    real = torch.view_as_real(values)
    return (real, pairs)
  values = torch.linalg_eigvals(self)
  if not torch.is_complex(self):
    values = torch.view_as_real(values)
  return (values, torch.empty([0], dtype=self.dtype, device=self.device))

def eig_e_before_1_13(self: Tensor, eigenvectors: bool=False, *, e: Tensor, v: Tensor) -> Tuple[Tensor, Tensor]:
  if eigenvectors:
    values, vectors = torch.linalg_eig(self)
    if torch.is_complex(self):
      return (e.resize_(values.size()).copy_(values), v.resize_(vectors.size()).copy_(vectors))
    second = torch.lt(torch.imag(values), 0)
    pairs = torch.where(second, torch.neg(torch.imag(vectors)), torch.real(vectors))
    real = torch.view_as_real(values)
    return (e.resize_(real.size()).copy_(real), v.resize_(pairs.size()).copy_(pairs))
  values = torch.linalg_eigvals(self)
  if not torch.is_complex(self):
    values = torch.view_as_real(values)
  return (e.resize_(values.size()).copy_(values), v.resize_([0]))

def lstsq_before_1_13(self: Tensor, A: Tensor) -> Tuple[Tensor, Tensor]:
  rows, columns = A.size(0), A.size(1)
  if rows >= columns:
    factors, tau = torch.geqrf(A)
    rotated = torch.ormqr(factors, tau, self, True, True)
    triangle = torch.triu(torch.narrow(factors, 0, 0, columns))
    result = torch.linalg_solve_triangular(triangle, torch.narrow(rotated, 0, 0, columns), upper=True)
    result = torch.cat([result, torch.narrow(rotated, 0, columns, rows - columns)])
    return (result, factors)
  factors, tau = torch.geqrf(torch.t(A))
  triangle = torch.t(torch.triu(torch.narrow(factors, 0, 0, rows)))
  result = torch.linalg_solve_triangular(triangle, self, upper=False)
  rest = torch.zeros([columns - rows, self.size(1)], dtype=self.dtype, device=self.device)
  result = torch.ormqr(factors, tau, torch.cat([result, rest]), True, False)
  factors = torch.t(factors)
  return (result, factors)

def lstsq_X_before_1_13(self: Tensor, A: Tensor, *, X: Tensor, qr: Tensor) -> Tuple[Tensor, Tensor]:
  rows, columns = A.size(0), A.size(1)
  if rows >= columns:
    factors, tau = torch.geqrf(A)
    rotated = torch.ormqr(factors, tau, self, True, True)
    triangle = torch.triu(torch.narrow(factors, 0, 0, columns))
    result = torch.linalg_solve_triangular(triangle, torch.narrow(rotated, 0, 0, columns), upper=True)
    result = torch.cat([result, torch.narrow(rotated, 0, columns, rows - columns)])
    return (X.resize_(result.size()).copy_(result), qr.resize_(factors.size()).copy_(factors))
  factors, tau = torch.geqrf(torch.t(A))
  triangle = torch.t(torch.triu(torch.narrow(factors, 0, 0, rows)))
  result = torch.linalg_solve_triangular(triangle, self, upper=False)
  rest = torch.zeros([columns - rows, self.size(1)], dtype=self.dtype, device=self.device)
  result = torch.ormqr(factors, tau, torch.cat([result, rest]), True, False)
  factors = torch.t(factors)
  return (X.resize_(result.size()).copy_(result), qr.resize_(factors.size()).copy_(factors))

def matrix_rank_before_1_13(self: Tensor, symmetric: bool=False) -> Tensor:
  return torch.linalg_matrix_rank(self, atol=None, rtol=None, hermitian=symmetric)

def matrix_rank_tol_before_1_13(self: Tensor, tol: float, symmetric: bool=False) -> Tensor:
  return torch.linalg_matrix_rank(self, tol, symmetric)

def symeig_before_2_0(self: Tensor, eigenvectors: bool=False, upper: bool=True) -> Tuple[Tensor, Tensor]:
  uplo = 'U' if upper else 'L'
  if eigenvectors:
    return torch.linalg_eigh(self, uplo)
  return (torch.linalg_eigvalsh(self, uplo), torch.empty([0], dtype=self.dtype, device=self.device))

def symeig_e_before_2_0(self: Tensor, eigenvectors: bool=False, upper: bool=True, *, e: Tensor, V: Tensor) -> Tuple[Tensor, Tensor]:
  uplo = 'U' if upper else 'L'
  if eigenvectors:
    return torch.linalg_eigh(self, uplo, eigvals=e, eigvecs=V)
  return (torch.linalg_eigvalsh(self, uplo, out=e), V.resize_([0]))

def frobenius_norm_before_2_0(self: Tensor) -> Tensor:
  return torch.linalg_vector_norm(self, 2)

def linalg_matrix_rank_before_1_11(self: Tensor, tol: Optional[float]=None, hermitian: bool=False) -> Tensor:
  if tol is None:
    return torch.linalg_matrix_rank(self, atol=None, rtol=None, hermitian=hermitian)
  return torch.linalg_matrix_rank(self, tol, hermitian)

def linalg_matrix_rank_out_before_1_11(self: Tensor, tol: Optional[float]=None, hermitian: bool=False, *, out: Tensor) -> Tensor:
  if tol is None:
    return torch.linalg_matrix_rank(self, atol=None, rtol=None, hermitian=hermitian, out=out)
  return torch.linalg_matrix_rank(self, tol, hermitian, out=out)

def linalg_pinv_before_1_11(self: Tensor, rcond: float=1.0000000000000001e-15, hermitian: bool=False) -> Tensor:
  return torch.linalg_pinv(self, rcond, hermitian)

def linalg_pinv_out_before_1_11(self: Tensor, rcond: float=1.0000000000000001e-15, hermitian: bool=False, *, out: Tensor) -> Tensor:
  return torch.linalg_pinv(self, rcond, hermitian, out=out)

# Arguments that got other names: a call by place stays, a call by name is upgraded.

def linalg_det_before_1_13(self: Tensor) -> Tensor:
  return torch.linalg_det(self)

def linalg_det_out_before_1_13(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.linalg_det(self, out=out)

def linalg_inv_before_1_13(self: Tensor) -> Tensor:
  return torch.linalg_inv(self)

def linalg_inv_out_before_1_13(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.linalg_inv(self, out=out)

def linalg_inv_ex_before_1_13(self: Tensor, *, check_errors: bool=False) -> Tuple[Tensor, Tensor]:
  return torch.linalg_inv_ex(self, check_errors=check_errors)

def linalg_inv_ex_inverse_before_1_13(self: Tensor, *, check_errors: bool=False, inverse: Tensor, info: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.linalg_inv_ex(self, check_errors=check_errors, inverse=inverse, info=info)

def linalg_qr_before_1_12(self: Tensor, mode: str='reduced') -> Tuple[Tensor, Tensor]:
  return torch.linalg_qr(self, mode)

def linalg_qr_out_before_1_12(self: Tensor, mode: str='reduced', *, Q: Tensor, R: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.linalg_qr(self, mode, Q=Q, R=R)

def linalg_slogdet_before_1_13(self: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.linalg_slogdet(self)

def linalg_slogdet_out_before_1_13(self: Tensor, *, sign: Tensor, logabsdet: Tensor) -> Tuple[Tensor, Tensor]:
  return torch.linalg_slogdet(self, sign=sign, logabsdet=logabsdet)

def linalg_solve_before_1_13(input: Tensor, other: Tensor) -> Tensor:
  return torch.linalg_solve(input, other)

def linalg_solve_out_before_1_13(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.linalg_solve(input, other, out=out)

def linalg_svd_before_1_11(self: Tensor, full_matrices: bool=True) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.linalg_svd(self, full_matrices)

def linalg_svd_U_before_1_11(self: Tensor, full_matrices: bool=True, *, U: Tensor, S: Tensor, Vh: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.linalg_svd(self, full_matrices, U=U, S=S, Vh=Vh)

def linalg_svdvals_before_1_11(input: Tensor) -> Tensor:
  return torch.linalg_svdvals(input)

def linalg_svdvals_out_before_1_11(input: Tensor, *, out: Tensor) -> Tensor:
  return torch.linalg_svdvals(input, out=out)

def gelu_backward_before_1_12(grad: Tensor, self: Tensor) -> Tensor:
  return torch.gelu_backward(grad, self)

def gelu_backward_grad_input_before_1_12(grad: Tensor, self: Tensor, *, grad_input: Tensor) -> Tensor:
  return torch.gelu_backward(grad, self, grad_input=grad_input)

def batch_norm_backward_elemt_before_2_1(grad_out: Tensor, input: Tensor, mean: Tensor, invstd: Tensor, weight: Optional[Tensor], mean_dy: Tensor, mean_dy_xmu: Tensor, count: Tensor) -> Tensor:
  return torch.batch_norm_backward_elemt(grad_out, input, mean, invstd, weight, mean_dy, mean_dy_xmu, count)

# Arguments that came or went.

def softplus_backward_before_1_11(grad_output: Tensor, self: Tensor, beta: number, threshold: number, output: Tensor) -> Tensor:
  return torch.softplus_backward(grad_output, self, beta, threshold)

def softplus_backward_grad_input_before_1_11(grad_output: Tensor, self: Tensor, beta: number, threshold: number, output: Tensor, *, grad_input: Tensor) -> Tensor:
  return torch.softplus_backward(grad_output, self, beta, threshold, grad_input=grad_input)

def grid_sampler_2d_backward_before_1_11(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tuple[Tensor, Tensor]:
  return torch.grid_sampler_2d_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, [True, True])

def grid_sampler_3d_backward_before_1_12(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tuple[Tensor, Tensor]:
  return torch.grid_sampler_3d_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, [True, True])

def l1_loss_out_before_1_13(self: Tensor, target: Tensor, reduction: int=1, *, out: Tensor) -> Tensor:
  result = torch.l1_loss(self, target, reduction)
  return out.resize_(result.size()).copy_(result)

# Without a dtype, random integers were floats.

def randint_before_1_13(high: int, size: List[int], *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.randint(high, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def randint_low_before_1_13(low: int, high: int, size: List[int], *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.randint(low, high, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Named dimensions, where there are no names.

def empty_names_before_2_13(size: List[int], *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, memory_format: Optional[int]=None) -> Tensor:
  return torch.empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, memory_format=memory_format)

def ones_names_before_2_13(size: List[int], *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.ones(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def zeros_names_before_2_13(size: List[int], *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.zeros(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def rand_names_before_2_13(size: List[int], *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.rand(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def randn_names_before_2_13(size: List[int], *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.randn(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def full_names_before_2_13(size: List[int], fill_value: number, *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def rename_before_2_13(self: Tensor, names: Optional[List[str]]) -> Tensor:
  return self

def rename__before_2_13(self: Tensor, names: Optional[List[str]]) -> Tensor:
  return self

# Gradients of convolutions, which are one operator since 1.11.

def slow_conv_dilated2d_backward_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0, 0], 1, output_mask)

def slow_conv_dilated3d_backward_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0, 0, 0], 1, output_mask)

def slow_conv3d_backward_output_mask_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], finput: Tensor, fgrad_input: Tensor, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, [1, 1, 1], False, [0, 0, 0], 1, output_mask)

def slow_conv3d_backward_grad_input_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], finput: Tensor, fgrad_input: Tensor, *, grad_input: Tensor, grad_weight: Tensor, grad_bias: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, [1, 1, 1], False, [0, 0, 0], 1, [True, True, True])
  return (grad_input.resize_(first.size()).copy_(first), grad_weight.resize_(second.size()).copy_(second), grad_bias.resize_(third.size()).copy_(third))

def slow_conv_transpose2d_backward_output_mask_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], columns: Tensor, ones: Tensor, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(1)], stride, padding, dilation, True, output_padding, 1, output_mask)

def slow_conv_transpose2d_backward_grad_output_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], columns: Tensor, ones: Tensor, *, grad_input: Tensor, grad_weight: Tensor, grad_bias: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, [weight.size(1)], stride, padding, dilation, True, output_padding, 1, [True, True, True])
  return (grad_input.resize_(first.size()).copy_(first), grad_weight.resize_(second.size()).copy_(second), grad_bias.resize_(third.size()).copy_(third))

def slow_conv_transpose3d_backward_output_mask_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], finput: Tensor, fgrad_input: Tensor, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(1)], stride, padding, dilation, True, output_padding, 1, output_mask)

def slow_conv_transpose3d_backward_grad_output_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_padding: List[int], dilation: List[int], finput: Tensor, fgrad_input: Tensor, *, grad_input: Tensor, grad_weight: Tensor, grad_bias: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, [weight.size(1)], stride, padding, dilation, True, output_padding, 1, [True, True, True])
  return (grad_input.resize_(first.size()).copy_(first), grad_weight.resize_(second.size()).copy_(second), grad_bias.resize_(third.size()).copy_(third))

def conv_depthwise3d_backward_output_mask_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0, 0, 0], self.size(1), output_mask)

def conv_depthwise3d_backward_grad_input_before_1_11(grad_output: Tensor, self: Tensor, weight: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], dilation: List[int], *, grad_input: Tensor, grad_weight: Tensor, grad_bias: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0, 0, 0], self.size(1), [True, True, True])
  return (grad_input.resize_(first.size()).copy_(first), grad_weight.resize_(second.size()).copy_(second), grad_bias.resize_(third.size()).copy_(third))

def mkldnn_convolution_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0], groups, output_mask)

def mkldnn_convolution_backward_input_before_1_11(self_size: List[int], grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, bias_defined: bool) -> Tensor:
  input = torch.zeros(self_size, dtype=grad_output.dtype, device=grad_output.device)
  first, second, third = torch.convolution_backward(grad_output, input, weight, None, stride, padding, dilation, False, [0], groups, [True, False, False])
  return first

def mkldnn_convolution_backward_weights_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, bias_defined: bool) -> Tuple[Tensor, Tensor]:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(grad_output, self, weight, [weight_size[0]], stride, padding, dilation, False, [0], groups, [False, True, bias_defined])
  return (second, third)

def cudnn_convolution_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, None, stride, padding, dilation, False, [0], groups, [output_mask[0], output_mask[1], False])
  return (first, second)

def cudnn_convolution_backward_input_before_1_11(self_size: List[int], grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool) -> Tensor:
  input = torch.zeros(self_size, dtype=grad_output.dtype, device=grad_output.device)
  first, second, third = torch.convolution_backward(grad_output, input, weight, None, stride, padding, dilation, False, [0], groups, [True, False, False])
  return first

def cudnn_convolution_backward_weight_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool) -> Tensor:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(grad_output, self, weight, None, stride, padding, dilation, False, [0], groups, [False, True, False])
  return second

def cudnn_convolution_transpose_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], output_padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor]:
  first, second, third = torch.convolution_backward(grad_output, self, weight, None, stride, padding, dilation, True, output_padding, groups, [output_mask[0], output_mask[1], False])
  return (first, second)

def cudnn_convolution_transpose_backward_input_before_1_11(grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool) -> Tensor:
  return torch.convolution(grad_output, weight, None, stride, padding, dilation, False, [0], groups)

def cudnn_convolution_transpose_backward_weight_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, allow_tf32: bool) -> Tensor:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(self, grad_output, weight, None, stride, padding, dilation, False, [0], groups, [False, True, False])
  return second

def miopen_convolution_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0], groups, output_mask)

def miopen_convolution_backward_input_before_1_11(self_size: List[int], grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  input = torch.zeros(self_size, dtype=grad_output.dtype, device=grad_output.device)
  first, second, third = torch.convolution_backward(grad_output, input, weight, None, stride, padding, dilation, False, [0], groups, [True, False, False])
  return first

def miopen_convolution_backward_weight_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(grad_output, self, weight, None, stride, padding, dilation, False, [0], groups, [False, True, False])
  return second

def miopen_convolution_transpose_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], output_padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(1) * groups], stride, padding, dilation, True, output_padding, groups, output_mask)

def miopen_convolution_transpose_backward_input_before_1_11(grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  return torch.convolution(grad_output, weight, None, stride, padding, dilation, False, [0], groups)

def miopen_convolution_transpose_backward_weight_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(self, grad_output, weight, None, stride, padding, dilation, False, [0], groups, [False, True, False])
  return second

def miopen_convolution_backward_bias_before_1_11(grad_output: Tensor) -> Tensor:
  return torch.sum(torch.flatten(torch.transpose(grad_output, 0, 1), 1), [1])

def miopen_depthwise_convolution_backward_before_1_11(self: Tensor, grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool, output_mask: List[bool]) -> Tuple[Tensor, Tensor, Tensor]:
  return torch.convolution_backward(grad_output, self, weight, [weight.size(0)], stride, padding, dilation, False, [0], groups, output_mask)

def miopen_depthwise_convolution_backward_input_before_1_11(self_size: List[int], grad_output: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  input = torch.zeros(self_size, dtype=grad_output.dtype, device=grad_output.device)
  first, second, third = torch.convolution_backward(grad_output, input, weight, None, stride, padding, dilation, False, [0], groups, [True, False, False])
  return first

def miopen_depthwise_convolution_backward_weight_before_1_11(weight_size: List[int], grad_output: Tensor, self: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  weight = torch.zeros(weight_size, dtype=self.dtype, device=self.device)
  first, second, third = torch.convolution_backward(grad_output, self, weight, None, stride, padding, dilation, False, [0], groups, [False, True, False])
  return second

# Convolutions by name of a library: the general one chooses the same library, and its settings.

def cudnn_convolution_deprecated_before_1_11(self: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  return torch.convolution(self, weight, bias, stride, padding, dilation, False, [0], groups)

def cudnn_convolution_deprecated2_before_1_11(self: Tensor, weight: Tensor, padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  return torch.convolution(self, weight, None, stride, padding, dilation, False, [0], groups)

def cudnn_convolution_transpose_deprecated_before_1_11(self: Tensor, weight: Tensor, bias: Optional[Tensor], padding: List[int], output_padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  return torch.convolution(self, weight, bias, stride, padding, dilation, True, output_padding, groups)

def cudnn_convolution_transpose_deprecated2_before_1_11(self: Tensor, weight: Tensor, padding: List[int], output_padding: List[int], stride: List[int], dilation: List[int], groups: int, benchmark: bool, deterministic: bool) -> Tensor:
  return torch.convolution(self, weight, None, stride, padding, dilation, True, output_padding, groups)

# A traced convolution that says nothing of TF32: another overload takes it since.

def _convolution_before_1_7(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int], padding: List[int], dilation: List[int], transposed: bool, output_padding: List[int], groups: int, benchmark: bool, deterministic: bool, cudnn_enabled: bool) -> Tensor:
  return torch._convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled)

# Other gradients.

def max_unpool2d_backward_before_1_12(grad_output: Tensor, self: Tensor, indices: Tensor, output_size: List[int]) -> Tensor:
  return torch.reshape(torch.gather(torch.flatten(grad_output, -2), -1, torch.flatten(indices, -2)), self.size())

def max_unpool2d_backward_grad_input_before_1_12(grad_output: Tensor, self: Tensor, indices: Tensor, output_size: List[int], *, grad_input: Tensor) -> Tensor:
  result = torch.reshape(torch.gather(torch.flatten(grad_output, -2), -1, torch.flatten(indices, -2)), self.size())
  return grad_input.resize_(result.size()).copy_(result)

def max_unpool3d_backward_before_1_12(grad_output: Tensor, self: Tensor, indices: Tensor, output_size: List[int], stride: List[int], padding: List[int]) -> Tensor:
  return torch.reshape(torch.gather(torch.flatten(grad_output, -3), -1, torch.flatten(indices, -3)), self.size())

def max_unpool3d_backward_grad_input_before_1_12(grad_output: Tensor, self: Tensor, indices: Tensor, output_size: List[int], stride: List[int], padding: List[int], *, grad_input: Tensor) -> Tensor:
  result = torch.reshape(torch.gather(torch.flatten(grad_output, -3), -1, torch.flatten(indices, -3)), self.size())
  return grad_input.resize_(result.size()).copy_(result)

def binary_cross_entropy_with_logits_backward_before_1_13(grad_output: Tensor, self: Tensor, target: Tensor, weight: Optional[Tensor]=None, pos_weight: Optional[Tensor]=None, reduction: int=1) -> Tensor:
  if pos_weight is None:
    result = torch.mul(torch.sub(torch.sigmoid(self), target), grad_output)
  else:
    wanted = torch.mul(pos_weight, target)
    factor = torch.sub(torch.add(wanted, 1), target)
    result = torch.mul(torch.sub(torch.mul(factor, torch.sigmoid(self)), wanted), grad_output)
  if weight is not None:
    result = torch.mul(result, weight)
  if reduction == 1:
    result = torch.div(result, self.numel())
  return result

def col2im_backward_before_1_13(grad_output: Tensor, kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int]) -> Tensor:
  return torch.im2col(grad_output, kernel_size, dilation, padding, stride)

def col2im_backward_grad_input_before_1_13(grad_output: Tensor, kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int], *, grad_input: Tensor) -> Tensor:
  return torch.im2col(grad_output, kernel_size, dilation, padding, stride, out=grad_input)

def im2col_backward_before_1_13(grad_output: Tensor, input_size: List[int], kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int]) -> Tensor:
  return torch.col2im(grad_output, input_size, kernel_size, dilation, padding, stride)

def im2col_backward_grad_input_before_1_13(grad_output: Tensor, input_size: List[int], kernel_size: List[int], dilation: List[int], padding: List[int], stride: List[int], *, grad_input: Tensor) -> Tensor:
  return torch.col2im(grad_output, input_size, kernel_size, dilation, padding, stride, out=grad_input)

def kl_div_backward_before_1_13(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int=1, *, log_target: bool=False) -> Tensor:
  if log_target:
    result = torch.neg(torch.mul(torch.exp(target), grad_output))
  else:
    result = torch.neg(torch.mul(target, grad_output))
    result = torch.where(torch.gt(target, 0), result, torch.zeros_like(result))
  if reduction == 1:
    result = torch.div(result, self.numel())
  return result

# A gradient of integers was cut off by the mean up to 1.5 and not from 1.7 on, and 1.6 refused it: nothing is guessed, and
# it is refused.

def l1_loss_backward_before_1_13(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
  norm = grad_output
  if reduction == 1:
    norm = torch.clone(grad_output).div_(self.numel())
  result = torch.sign(torch.sub(self, target)).to(self.dtype)
  result = result.mul_(norm)
  return result

def l1_loss_backward_grad_input_before_1_13(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, *, grad_input: Tensor) -> Tensor:
  norm = grad_output
  if reduction == 1:
    norm = torch.clone(grad_output).div_(self.numel())
  result = torch.sign(torch.sub(self, target)).to(self.dtype)
  result = result.mul_(norm)
  return grad_input.resize_(result.size()).copy_(result)

def diag_backward_before_2_0(grad: Tensor, input_sizes: List[int], diagonal: int) -> Tensor:
  if len(input_sizes) == 1:
    return torch.diag(grad, diagonal)
  result = torch.zeros(input_sizes, dtype=grad.dtype, device=grad.device)
  torch.diagonal(result, diagonal).copy_(grad)
  return result

def prelu_backward_before_2_0(grad_output: Tensor, self: Tensor, weight: Tensor) -> Tuple[Tensor, Tensor]:
  if self.dim() > 1:
    values, grads = torch.transpose(self, 1, -1), torch.transpose(grad_output, 1, -1)
  else:
    values, grads = self, grad_output
  positive = torch.gt(values, 0)
  first = torch.where(positive, grads, torch.mul(grads, weight))
  second = torch.where(positive, torch.zeros_like(grads), torch.mul(values, grads))
  if self.dim() > 1:
    first = torch.transpose(first, 1, -1)
  if weight.numel() == 1:
    return (first, torch.reshape(torch.sum(second), weight.size()))
  return (first, torch.sum(torch.reshape(second, [-1, weight.numel()]), [0]))

def upsample_linear1d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2)]
  if scale_factors is None:
    return torch.upsample_linear1d_backward(grad_output, size, input_size, align_corners)
  return torch.upsample_linear1d_backward(grad_output, size, input_size, align_corners, scale_factors[0])

def upsample_nearest1d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2)]
  if scale_factors is None:
    return torch.upsample_nearest1d_backward(grad_output, size, input_size)
  return torch.upsample_nearest1d_backward(grad_output, size, input_size, scale_factors[0])

def upsample_bilinear2d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2), grad_output.size(3)]
  if scale_factors is None:
    return torch.upsample_bilinear2d_backward(grad_output, size, input_size, align_corners)
  return torch.upsample_bilinear2d_backward(grad_output, size, input_size, align_corners, scale_factors[0], scale_factors[1])

def upsample_bicubic2d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2), grad_output.size(3)]
  if scale_factors is None:
    return torch.upsample_bicubic2d_backward(grad_output, size, input_size, align_corners)
  return torch.upsample_bicubic2d_backward(grad_output, size, input_size, align_corners, scale_factors[0], scale_factors[1])

def upsample_nearest2d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2), grad_output.size(3)]
  if scale_factors is None:
    return torch.upsample_nearest2d_backward(grad_output, size, input_size)
  return torch.upsample_nearest2d_backward(grad_output, size, input_size, scale_factors[0], scale_factors[1])

def upsample_nearest3d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2), grad_output.size(3), grad_output.size(4)]
  if scale_factors is None:
    return torch.upsample_nearest3d_backward(grad_output, size, input_size)
  return torch.upsample_nearest3d_backward(grad_output, size, input_size, scale_factors[0], scale_factors[1], scale_factors[2])

def upsample_trilinear3d_backward_vec_before_2_0(grad_output: Tensor, output_size: Optional[List[int]], input_size: List[int], align_corners: bool, scale_factors: Optional[List[float]]) -> Tensor:
  size = [grad_output.size(2), grad_output.size(3), grad_output.size(4)]
  if scale_factors is None:
    return torch.upsample_trilinear3d_backward(grad_output, size, input_size, align_corners)
  return torch.upsample_trilinear3d_backward(grad_output, size, input_size, align_corners, scale_factors[0], scale_factors[1], scale_factors[2])
