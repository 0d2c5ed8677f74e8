import { timestampOf } from "../meta/amounts/timestamps.ts"

/** As in Kubernetes, unknown formats match. Source: k8s.io/kube-openapi/pkg/validation/strfmt. */
export const matchesFormat = (text: string, format: string): boolean =>
  checkByFormat.get(format.replaceAll("-", ""))?.(text) ?? true

const matches =
  (shape: RegExp) =>
  (text: string): boolean =>
    shape.test(text)

const isDate = (text: string): boolean => {
  const millis = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(millis) && timestampOf(millis).startsWith(text)
}

const isDateTime = (text: string): boolean =>
  /^.{10}t([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i.test(text) &&
  isDate(text.slice(0, "2026-01-01".length))

const isIpv4 = (text: string): boolean => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

const isIpv6 = (text: string): boolean => /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`)

const isCidr = (text: string): boolean => {
  const [address = "", bits = "", ...rest] = text.split("/")
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128)
}

const isUri = (text: string): boolean => text.startsWith("/") || (/^[a-z]/i.test(text) && URL.canParse(text))

const isHostname = (text: string): boolean =>
  text.length <= 255 &&
  text.split(".").every((label) => /^[\p{L}\p{S}0-9]([-\p{L}\p{S}0-9]{0,61}[\p{L}\p{S}0-9])?$/u.test(label))

/** The format of `time.ParseDuration`: `1h30m`, `-1.5s`, `0`. */
const goDuration = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/

/** At least one unit must be known: `3 days`, `2 hours 5 min`. */
const wordedDuration = /^\s*(\d+\s*[a-zµ]+\s*)+$/i
const timeWord =
  /\d\s*(ns|us|µs|ms|s|m|h|hr|d|w|wk|(nano|micro|milli|sec|min|hour|day|week)[a-zµ]*)(?![a-zµ])/i

const isDuration = (text: string): boolean =>
  goDuration.test(text) || (wordedDuration.test(text) && timeWord.test(text))

/** Each separator, and the number of digits between two separators. */
const macSeparators = [
  [":", 2],
  ["-", 2],
  [".", 4]
] as const

/** The lengths in bytes of EUI-48, EUI-64 and InfiniBand addresses. */
const macLengths = [6, 8, 20]

const isMac = (text: string): boolean =>
  macSeparators.some(([separator, digits]) => {
    const groups = text.split(separator)
    const isGroup = (group: string): boolean => group.length === digits && /^[0-9a-f]+$/i.test(group)
    return macLengths.includes((groups.length * digits) / 2) && groups.every(isGroup)
  })

const uuidShape = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** Names ignore hyphens: `date-time` is `datetime`. */
const checkByFormat: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", matches(/^[^@\s]+@[^@\s]+$/)],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uri", isUri],
  ["uuid", matches(uuidShape)],
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)]
])
