export const startFactorDefault = 5
export const startFactorMax = 1000
