module {
func.func @p0(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
%0 = "stablehlo.abs"(%a) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>>
return
}
}
