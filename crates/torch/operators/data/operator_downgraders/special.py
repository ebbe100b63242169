# The operators of torch.special, which have been there under another name.

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

def special_softmax_to_1_10(self: Tensor, dim: int, dtype: Optional[int]=None) -> Tensor:
  return torch.softmax(self, dim, dtype)
