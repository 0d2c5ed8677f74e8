import type * as Core from "kubernetes-types/core/v1.js"
import { validateIp } from "../../validation/addresses.ts"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../validation/fieldErrors.ts"
import { searchDomainProblems, subdomainProblems } from "../../validation/nameRules.ts"
import { validateNameBy } from "../../validation/validateNames.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

const nameserversMax = 3
const searchesMax = 32

/** Source: pkg/apis/core/validation/validation.go (validatePodDNSConfig). */
export const validateDnsConfig = (
  { dnsPolicy, dnsConfig }: ShallowPartial<Core.PodSpec>,
  path: string
): FieldErrors => {
  const withoutPolicy = "when `dnsPolicy` is None"
  if (dnsConfig === undefined)
    return dnsPolicy === "None"
      ? [requiredValue(path, `must provide \`dnsConfig\` ${withoutPolicy}`)]
      : noErrors
  const { nameservers = [], searches = [], options = [] } = dnsConfig
  if (dnsPolicy === "None" && nameservers.length === 0)
    return [requiredValue(`${path}.nameservers`, `must provide at least one DNS nameserver ${withoutPolicy}`)]
  const tooMany = (name: string, list: ReadonlyArray<string>, max: number, items: string): FieldErrors =>
    list.length > max
      ? [invalidField(`${path}.${name}`, list, `must not have more than ${max} ${items}`)]
      : noErrors
  return [
    ...tooMany("nameservers", nameservers, nameserversMax, "nameservers"),
    ...nameservers.flatMap((address, index) => validateIp(address, `${path}.nameservers[${index}]`)),
    ...tooMany("searches", searches, searchesMax, "search paths"),
    ...searches.flatMap((domain, index) =>
      domain === "."
        ? noErrors
        : validateNameBy(searchDomainProblems, domain?.replace(/\.$/, ""), `${path}.searches[${index}]`)
    ),
    ...options.flatMap(({ name = "" }, index) =>
      name === "" ? [requiredValue(`${path}.options[${index}]`, "must not be empty")] : []
    )
  ]
}

/** Source: pkg/apis/core/validation/validation.go (ValidateHostAliases). */
export const validateHostAliases = (
  aliases: ReadonlyArray<ShallowPartial<Core.HostAlias>> = [],
  path: string
): FieldErrors =>
  aliases.flatMap(({ ip = "", hostnames = [] }, index) => [
    ...validateIp(ip, `${path}[${index}].ip`),
    ...hostnames.flatMap((name) => validateNameBy(subdomainProblems, name, `${path}[${index}].hostnames`))
  ])
