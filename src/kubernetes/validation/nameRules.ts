import type { Kind } from "../meta/kinds.ts"
import { canonicalIpProblem } from "./addresses.ts"
import { concatLists } from "./fieldErrors.ts"

/** A rule returns Kubernetes' messages. Source: util/validation/validation.go. */
export type NameProblems = ReadonlyArray<string>
export type NameRule = (name: string | undefined) => NameProblems

const noProblems: NameProblems = Object.freeze([])

/** Skips the last valid name: successive objects are mostly in one namespace. */
export const memoizeLastValid = (rule: NameRule): NameRule => {
  let valid: string | undefined
  return (name) => {
    if (name !== undefined && name === valid) return noProblems
    const problems = rule(name)
    if (problems.length === 0) valid = name
    return problems
  }
}

/** Skips names found valid before: many Pods share the name of a node. */
export const memoizeValidNames = (rule: NameRule, namesMax: number): NameRule => {
  const valid = new Set<string | undefined>()
  return (name) => {
    if (valid.has(name)) return noProblems
    const problems = rule(name)
    if (problems.length === 0 && valid.size < namesMax) valid.add(name)
    return problems
  }
}

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`
const searchLabelFormat = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const searchDomainFormat = `${searchLabelFormat}(\\.${searchLabelFormat})*`
const wildcardFormat = `\\*\\.${subdomainFormat}`
const label1035Format = "[a-z]([-a-z0-9]*[a-z0-9])?"
const qualifiedFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const labelValueFormat = `(${qualifiedFormat})?`

const configKeyFormat = "[-._a-zA-Z0-9]+"

const wholeMatch = (format: string): RegExp => new RegExp(`^(?:${format})$`)
const labelShape = wholeMatch(labelFormat)
const subdomainShape = wholeMatch(subdomainFormat)
const searchDomainShape = wholeMatch(searchDomainFormat)
const wildcardShape = wholeMatch(wildcardFormat)
const label1035Shape = wholeMatch(label1035Format)
const qualifiedShape = wholeMatch(qualifiedFormat)
const labelValueShape = wholeMatch(labelValueFormat)
const configKeyShape = wholeMatch(configKeyFormat)

/** Kubernetes' messages have these commas and double spaces. */
const ruleMessage = (rule: string, format: string, examples: ReadonlyArray<string>): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}` +
  `regex used for validation is '${format}')`

const subdomainRule = ruleMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    "and must start and end with an alphanumeric character",
  subdomainFormat,
  ["example.com"]
)
const searchDomainRule = ruleMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
    "and must start and end with an alphanumeric character",
  searchDomainFormat,
  ["example.com"]
)
const labelRule = ruleMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character",
  labelFormat,
  ["my-name", "123-abc"]
)
const label1035Rule = ruleMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character",
  label1035Format,
  ["my-name", "abc-123"]
)
const wildcardRule = ruleMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist " +
    "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcardFormat,
  ["*.example.com"]
)
const qualifiedRule = ruleMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
    "alphanumeric character",
  qualifiedFormat,
  ["MyName", "my.name", "123-abc"]
)
const labelValueRule = ruleMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    "and must start and end with an alphanumeric character",
  labelValueFormat,
  ["MyValue", "my_value", "12345"]
)

const configKeyRule = ruleMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyFormat,
  ["key.name", "KEY_NAME", "key-name"]
)

/** Kubernetes says characters of names, and bytes of label keys and values. */
const lengthProblems = (name: string, charactersMax: number): NameProblems =>
  name.length > charactersMax ? [`must be no more than ${charactersMax} characters`] : noProblems

export const subdomainProblems: NameRule = (name = "") =>
  concatLists(lengthProblems(name, 253), subdomainShape.test(name) ? noProblems : [subdomainRule])

/** A domain in which a resolver searches may have underscores. */
export const searchDomainProblems: NameRule = (domain = "") =>
  concatLists(lengthProblems(domain, 253), searchDomainShape.test(domain) ? noProblems : [searchDomainRule])

export const wildcardProblems: NameRule = (name = "") =>
  concatLists(lengthProblems(name, 253), wildcardShape.test(name) ? noProblems : [wildcardRule])

export const labelProblems: NameRule = (name = "") =>
  concatLists(
    lengthProblems(name, 63),
    labelShape.test(name) ? noProblems : [subdomainShape.test(name) ? "must not contain dots" : labelRule]
  )

export const label1035Problems: NameRule = (name = "") =>
  concatLists(lengthProblems(name, 63), label1035Shape.test(name) ? noProblems : [label1035Rule])

export const cIdentifierProblems: NameRule = (name = "") =>
  cIdentifierShape.test(name) ? noProblems : [cIdentifierRule]

const cIdentifierShape = /^[A-Za-z_][A-Za-z0-9_]*$/
const cIdentifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
  "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is " +
  "'[A-Za-z_][A-Za-z0-9_]*')"

export const configKeyProblems: NameRule = (key = "") =>
  concatLists(
    concatLists(lengthProblems(key, 253), configKeyShape.test(key) ? noProblems : [configKeyRule]),
    key === "." || key === ".."
      ? [`must not be '${key}'`]
      : key.startsWith("..")
        ? ["must not start with '..'"]
        : noProblems
  )

/** A label key, annotation key or finalizer. */
export const qualifiedNameProblems: NameRule = (value = "") => {
  const [first = "", second, ...rest] = value.split("/")
  if (rest.length > 0) {
    return [
      `a qualified name ${qualifiedRule} with an optional DNS subdomain prefix and '/' (e.g. ` +
        `'example.com/MyName')`
    ]
  }
  return second === undefined
    ? namePartProblems(first)
    : concatLists(prefixProblems(first), namePartProblems(second))
}

const prefixProblems: NameRule = (prefix) =>
  prefix === ""
    ? ["prefix part must be non-empty"]
    : subdomainProblems(prefix).map((problem) => `prefix part ${problem}`)

const namePartProblems: NameRule = (name = "") => {
  const size =
    name === "" ? ["must be non-empty"] : name.length > 63 ? ["must be no more than 63 bytes"] : noProblems
  const shape = qualifiedShape.test(name) ? noProblems : [qualifiedRule]
  return concatLists(size, shape).map((problem) => `name part ${problem}`)
}

export const labelValueProblems: NameRule = (value = "") =>
  concatLists(
    value.length > 63 ? ["must be no more than 63 bytes"] : noProblems,
    labelValueShape.test(value) ? noProblems : [labelValueRule]
  )

export const pathSegmentProblems: NameRule = (name = "") => {
  if (name === "." || name === "..") return [`may not be '${name}'`]
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

/** The name of a Job adds up to 11 characters, and must fit into a label. */
const cronJobProblems: NameRule = (name = "") =>
  concatLists(subdomainProblems(name), name.length > 52 ? ["must be no more than 52 characters"] : noProblems)

const ipAddressProblems: NameRule = (name = "") => {
  const problem = canonicalIpProblem(name)
  return problem === undefined ? noProblems : [problem]
}

const ruleByKind: Readonly<Record<string, NameRule>> = {
  Namespace: labelProblems,
  // RelaxedServiceNameValidation is on from 1.36: a name may begin with a digit.
  Service: labelProblems,
  CronJob: cronJobProblems,
  StatefulSet: labelProblems,
  IPAddress: ipAddressProblems,
  APIService: pathSegmentProblems,
  CertificateSigningRequest: pathSegmentProblems,
  Role: pathSegmentProblems,
  RoleBinding: pathSegmentProblems,
  ClusterRole: pathSegmentProblems,
  ClusterRoleBinding: pathSegmentProblems
}

export const nameRuleOf = ({ kind, custom }: Kind): NameRule =>
  (custom === undefined ? ruleByKind[kind] : undefined) ?? subdomainProblems

/** A generateName may end in a dash, which a name may not. */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name
