/**
 * Formats that a text can be checked for; others say something to people only.
 *
 * Source: k8s.io/kube-openapi/pkg/validation/strfmt, and the list of formats in
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go.
 */
export const hasFormat = (text: string, format: string): boolean => checks.get(format)?.(text) ?? true

const shaped =
  (shape: RegExp) =>
  (text: string): boolean =>
    shape.test(text)

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

const isDateTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) &&
  isDate(text.slice(0, "2026-01-01".length))

const isIpv4 = (text: string): boolean => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

const isIpv6 = (text: string): boolean => URL.canParse(`http://[${text}]`) && text.includes(":")

const isCidr = (text: string): boolean => {
  const [address = "", bits = "", ...rest] = text.split("/")
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128)
}

/** As `time.ParseDuration` reads them, or a number and a word. */
const durationShape = /^[-+]?(\d+(\.\d*)?\s*(ns|us|µs|ms|s|m|h|d|w|hr|hrs|min|mins|sec|secs|days?|weeks?))+$/

const uuidShape = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["datetime", isDateTime],
  ["duration", shaped(durationShape)],
  ["email", shaped(/^[^@\s]+@[^@\s]+$/)],
  ["hostname", shaped(/^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,251}[a-zA-Z0-9])?$/)],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", shaped(/^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/)],
  ["uri", (text: string) => URL.canParse(text)],
  ["uuid", shaped(uuidShape)],
  ["byte", shaped(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)]
])
