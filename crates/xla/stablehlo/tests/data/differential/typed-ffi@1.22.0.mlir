module {
func.func @p0(%a: tensor<4xf32>) {
%0 = "stablehlo.custom_call"(%a) {call_target_name = "lapack_sgetrf_ffi", api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
return
}
}
