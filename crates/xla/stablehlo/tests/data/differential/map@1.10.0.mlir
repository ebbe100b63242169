module {
func.func @p0(%a: tensor<4xbf16> {my.map = affine_map<(d0) -> (d0)>}) {
%0 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<4xbf16>) -> tensor<4xbf16>
return
}
}
