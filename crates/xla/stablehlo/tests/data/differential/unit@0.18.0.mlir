module {
func.func @p0(%a: tensor<4xf32> {my.flag}) {
%0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
return
}
}
