/** Source: quantity.go. */
export interface Quantity {
  readonly nanos: bigint
  readonly format: QuantityFormat
}

type QuantityFormat = "decimal" | "binary" | "exponent"

const nanosPerUnit = 1_000_000_000n
const nanosPerMilli = 1_000_000n

const nanosMax = (2n ** 63n - 1n) * nanosPerUnit

export const countQuantity = (count: number): Quantity => ({
  nanos: BigInt(count) * nanosPerUnit,
  format: "decimal"
})

export const quantityProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

interface Scale {
  readonly format: QuantityFormat
  readonly factor: bigint
  /** The suffix stands for `factor / 10^decimalPlaces`. */
  readonly decimalPlaces: number
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const

const scaleBySuffix: ReadonlyMap<string, Scale> = new Map<string, Scale>([
  ...decimalSuffixes.map((suffix, index): [string, Scale] => [
    suffix,
    decimalScale(3 * index - 9, "decimal")
  ]),
  ...binarySuffixes
    .map((suffix, index): [string, Scale] => [
      suffix,
      { format: "binary", factor: 1024n ** BigInt(index), decimalPlaces: 0 }
    ])
    .slice(1)
])

function decimalScale(exponent: number, format: QuantityFormat): Scale {
  return exponent < 0
    ? { format, factor: 1n, decimalPlaces: -exponent }
    : { format, factor: 10n ** BigInt(exponent), decimalPlaces: 0 }
}

/** Larger exponents exceed `nanosMax`. */
const exponentMax = 64

const quantityShape = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))([a-zA-Z]*)([-+]?\d+)?$/

/** Numbers are accepted, since YAML has them. */
export const parseQuantity = (text: string | number): Quantity | undefined => {
  const match = quantityShape.exec(String(text))
  if (match === null) return undefined
  const [, sign, whole = "", fraction = match[4] ?? "", , suffix = "", exponent] = match
  const scale = scaleOf(suffix, exponent)
  if (scale === undefined) return undefined
  const digits = BigInt(`${whole}${fraction}` || "0")
  const magnitude = capMagnitude(
    divideUp(digits * scale.factor * nanosPerUnit, 10n ** BigInt(fraction.length + scale.decimalPlaces))
  )
  // A binary amount below one byte would round to one, so it becomes a decimal fraction.
  const isFraction = magnitude > 0n && magnitude < nanosPerUnit
  const format = scale.format === "binary" && isFraction ? "decimal" : scale.format
  return { nanos: sign === "-" ? -magnitude : magnitude, format }
}

const scaleOf = (suffix: string, exponent: string | undefined): Scale | undefined => {
  if (exponent === undefined) return scaleBySuffix.get(suffix)
  if (suffix !== "e" && suffix !== "E") return undefined
  const boundedExponent = Math.max(-exponentMax, Math.min(exponentMax, Number(exponent)))
  return decimalScale(boundedExponent, "exponent")
}

const capMagnitude = (magnitude: bigint): bigint => (magnitude > nanosMax ? nanosMax : magnitude)

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

export const compareQuantities = (a: Quantity, b: Quantity): number =>
  a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0

/** The sum has the notation of the first quantity, or of the second if the first is 0. */
export const addQuantities = (a: Quantity, b: Quantity): Quantity => {
  const sum = a.nanos + b.nanos
  return {
    nanos: sum < 0n ? -capMagnitude(-sum) : capMagnitude(sum),
    format: a.nanos === 0n ? b.format : a.format
  }
}

export const milliValueOf = ({ nanos }: Quantity): bigint =>
  nanos > 0n ? divideUp(nanos, nanosPerMilli) : nanos / nanosPerMilli

/** Rounds away from zero. */
export const roundToMilliValue = (quantity: Quantity): Quantity => {
  if (quantity.nanos % nanosPerMilli === 0n) return quantity
  const magnitude = quantity.nanos < 0n ? -quantity.nanos : quantity.nanos
  const rounded = divideUp(magnitude, nanosPerMilli) * nanosPerMilli
  return { ...quantity, nanos: quantity.nanos < 0n ? -rounded : rounded }
}

/** The canonical text: no fraction, and the largest exact suffix. */
export const formatQuantity = ({ nanos, format }: Quantity): string => {
  if (nanos === 0n) return "0"
  const sign = nanos < 0n ? "-" : ""
  const magnitude = nanos < 0n ? -nanos : nanos
  // Below 1Ki there is no binary suffix, and a fraction would be lost.
  const isBinary = format === "binary" && magnitude >= 1024n * nanosPerUnit
  return `${sign}${isBinary ? binaryText(magnitude) : decimalText(magnitude, format)}`
}

const binaryText = (magnitude: bigint): string => {
  let count = divideUp(magnitude, nanosPerUnit)
  let power = 0
  while (power + 1 < binarySuffixes.length && count % 1024n === 0n) {
    count /= 1024n
    power += 1
  }
  return `${count}${binarySuffixes[power]}`
}

const decimalText = (magnitude: bigint, format: QuantityFormat): string => {
  let count = magnitude
  let power = 0
  while (power + 1 < decimalSuffixes.length && count % 1000n === 0n) {
    count /= 1000n
    power += 1
  }
  if (format !== "exponent") return `${count}${decimalSuffixes[power]}`
  return power === 3 ? `${count}` : `${count}e${3 * power - 9}`
}
