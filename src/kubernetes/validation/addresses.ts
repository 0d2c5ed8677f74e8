import { invalidField, noErrors, type FieldErrors } from "./fieldErrors.ts"

/** Source: util/validation/ip.go; core/validation/validation.go (ValidateEndpointIP); Go's `net/ip.go`. */
export interface IpAddress {
  readonly bitLength: 32 | 128
  readonly value: bigint
  /** Whether a part of an IPv4 address begins with 0, which some programs read as octal. */
  readonly hasLeadingZeros: boolean
}

/** Undefined if invalid. An IPv4-mapped IPv6 address has 128 bits. */
export const parseIp = (text: string): IpAddress | undefined =>
  text.includes(":") ? parseIpv6(text) : parseIpv4(text)

const parseIpv4 = (text: string): IpAddress | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255))
    return undefined
  return {
    bitLength: 32,
    value: parts.reduce((value, part) => value * 256n + BigInt(part), 0n),
    hasLeadingZeros: parts.some((part) => part.length > 1 && part.startsWith("0"))
  }
}

const parseIpv6 = (text: string): IpAddress | undefined => {
  const [head = "", tail, ...more] = text.split("::")
  if (more.length > 0) return undefined
  const [before, after] = [groupsOf(head, tail === undefined), groupsOf(tail ?? "", true)]
  if (before === undefined || after === undefined) return undefined
  const missing = 8 - before.groups.length - after.groups.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...before.groups, ...Array.from({ length: missing }, () => 0n), ...after.groups]
  return {
    bitLength: 128,
    value: groups.reduce((value, group) => value * 65_536n + group, 0n),
    hasLeadingZeros: before.hasLeadingZeros || after.hasLeadingZeros
  }
}

interface Groups {
  readonly groups: ReadonlyArray<bigint>
  readonly hasLeadingZeros: boolean
}

/** The last part of an address may be an IPv4 address. */
const groupsOf = (text: string, endsAddress: boolean): Groups | undefined => {
  if (text === "") return { groups: [], hasLeadingZeros: false }
  const groups: Array<bigint> = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    const isEmbedded = endsAddress && index === parts.length - 1 && part.includes(".")
    const embedded = isEmbedded ? parseIpv4(part) : undefined
    if (embedded !== undefined) {
      groups.push(embedded.value / 65_536n, embedded.value % 65_536n)
      return { groups, hasLeadingZeros: embedded.hasLeadingZeros }
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
    groups.push(BigInt(`0x${part}`))
  }
  return { groups, hasLeadingZeros: false }
}

const isIpv4Mapped = ({ bitLength, value }: IpAddress): boolean =>
  bitLength === 128 && value >> 32n === 0xffffn

export const formatIp = ({ bitLength, value }: IpAddress): string => {
  if (bitLength === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".")
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)
  )
  const zeroRuns = [
    ...groups
      .map((group) => (group === "0" ? "0" : "x"))
      .join("")
      .matchAll(/0{2,}/g)
  ]
  const longest = Math.max(0, ...zeroRuns.map(([zeros]) => zeros.length))
  const longestRun = zeroRuns.find(([{ length }]) => length === longest)
  if (longestRun === undefined) return groups.join(":")
  const { index } = longestRun
  return `${groups.slice(0, index).join(":")}::${groups.slice(index + longest).join(":")}`
}

export const canonicalIpProblem = (text: string): string | undefined => {
  const address = parseIp(text)
  if (address === undefined) return invalidIp
  if (isIpv4Mapped(address)) return `must not be ${mappedAddressText}`
  return formatIp(address) === text ? undefined : canonicalFormRule(formatIp(address))
}

const canonicalFormRule = (text: string): string => `must be in canonical form (${JSON.stringify(text)})`

const invalidIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
const mappedAddressText = "an IPv4-mapped IPv6 address"

/** Accepts forms other than the canonical one. */
export const validateIp = (text: string, path: string): FieldErrors => {
  const address = parseIp(text)
  if (address === undefined) return [invalidField(path, text, invalidIp)]
  return [
    ...(address.hasLeadingZeros ? [invalidField(path, text, "must not have leading 0s")] : noErrors),
    ...(isIpv4Mapped(address) ? [invalidField(path, text, `must not be ${mappedAddressText}`)] : noErrors)
  ]
}

export const validateIpOfFamily = (text: string, path: string, family: "IPv4" | "IPv6"): FieldErrors => {
  const address = parseIp(text)
  const isIpv4 = address !== undefined && (address.bitLength === 32 || isIpv4Mapped(address))
  return address !== undefined && isIpv4 === (family === "IPv4")
    ? noErrors
    : [invalidField(path, text, `must be a valid ${family} address`)]
}

/** Dotted quads without leading zeros, outside the special ranges below. */
const endpointIpv4Shape =
  /^(?!0\.|127\.|169\.254\.|224\.0\.0\.)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?=\d)|$)){4}$/

export const isEndpointIpv4 = (text: string): boolean => endpointIpv4Shape.test(text)

interface SpecialRange {
  readonly v4?: Cidr | undefined
  readonly v6?: Cidr | undefined
  readonly rule: string
}

const specialRange = (v4: string, v6: string, rule: string): SpecialRange => ({
  v4: parseCidr(v4),
  v6: parseCidr(v6),
  rule: `may not be ${rule}`
})

/** Read on first use, because `parseCidr` is defined below. */
let specialRanges: ReadonlyArray<SpecialRange> | undefined

const readSpecialRanges = (): ReadonlyArray<SpecialRange> =>
  (specialRanges ??= [
    specialRange("0.0.0.0/32", "::/128", "unspecified (0.0.0.0 or ::)"),
    specialRange("127.0.0.0/8", "::1/128", "in the loopback range (127.0.0.0/8, ::1/128)"),
    specialRange("169.254.0.0/16", "fe80::/10", "in the link-local range (169.254.0.0/16, fe80::/10)"),
    // Kubernetes' message says /10, although the check is about /16.
    specialRange("224.0.0.0/24", "ff02::/16", "in the link-local multicast range (224.0.0.0/24, ff02::/10)")
  ])

export const validateEndpointIp = (text: string, path: string): FieldErrors => {
  const address = parseIp(text)
  if (address === undefined) return [invalidField(path, text, "must be a valid IP address")]
  return readSpecialRanges().flatMap(({ v4, v6, rule }) => {
    const range = address.bitLength === 32 ? v4 : v6
    return range !== undefined && containsIp(range, address) ? [invalidField(path, text, rule)] : []
  })
}

export interface Cidr {
  readonly address: IpAddress
  readonly prefixLength: number
  readonly hasLeadingZeros: boolean
}

export const parseCidr = (text: string): Cidr | undefined => {
  const slash = text.lastIndexOf("/")
  const lengthText = text.slice(slash + 1)
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  if (address === undefined || !/^[0-9]+$/.test(lengthText)) return undefined
  const prefixLength = Number(lengthText)
  if (prefixLength > address.bitLength) return undefined
  const hasLeadingZeros = address.hasLeadingZeros || (lengthText.length > 1 && lengthText.startsWith("0"))
  return { address, prefixLength, hasLeadingZeros }
}

const networkOf = ({ bitLength, value }: IpAddress, prefixLength: number): bigint =>
  value >> BigInt(bitLength - prefixLength)

export const containsIp = ({ address: base, prefixLength }: Cidr, address: IpAddress): boolean =>
  base.bitLength === address.bitLength && networkOf(base, prefixLength) === networkOf(address, prefixLength)

const invalidCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

export const cidrProblem = (text: string): string | undefined => {
  const cidr = parseCidr(text)
  if (cidr === undefined) return invalidCidr
  const { address, prefixLength } = cidr
  if (cidr.hasLeadingZeros) return "must not have leading 0s in IP or prefix length"
  if (isIpv4Mapped(address)) return `must not have ${mappedAddressText}`
  return networkOf(address, prefixLength) << BigInt(address.bitLength - prefixLength) === address.value
    ? undefined
    : "must not have bits set beyond the prefix length"
}

/** Accepts forms other than the canonical one. */
export const validateCidr = (text: string, path: string): FieldErrors => {
  const problem = cidrProblem(text)
  return problem === undefined ? noErrors : [invalidField(path, text, problem)]
}

export const canonicalCidrProblem = (text: string): string | undefined => {
  const problem = cidrProblem(text)
  const cidr = parseCidr(text)
  if (problem !== undefined || cidr === undefined) return problem
  const canonical = `${formatIp(cidr.address)}/${cidr.prefixLength}`
  return canonical === text ? undefined : canonicalFormRule(canonical)
}
