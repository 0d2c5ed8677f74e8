import type { Kind } from "../kinds.ts"
import { joined } from "./fieldErrors.ts"

/**
 * What a name, a label key or a label value may look like. Each rule answers with what is wrong, in
 * Kubernetes' words, and with nothing where all is well.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go.
 */
export type Problems = ReadonlyArray<string>
export type NameRule = (name: string | undefined) => Problems

const fine: Problems = Object.freeze([])

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`
const label1035Format = "[a-z]([-a-z0-9]*[a-z0-9])?"
const qualifiedFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const labelValueFormat = `(${qualifiedFormat})?`

const configKeyFormat = "[-._a-zA-Z0-9]+"

const whole = (format: string): RegExp => new RegExp(`^(?:${format})$`)
const labelShape = whole(labelFormat)
const subdomainShape = whole(subdomainFormat)
const label1035Shape = whole(label1035Format)
const qualifiedShape = whole(qualifiedFormat)
const labelValueShape = whole(labelValueFormat)
const configKeyShape = whole(configKeyFormat)

/** The two spaces and the comma before `or` are Kubernetes' own. */
const explained = (rule: string, format: string, examples: ReadonlyArray<string>): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}` +
  `regex used for validation is '${format}')`

const subdomainRule = explained(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    "and must start and end with an alphanumeric character",
  subdomainFormat,
  ["example.com"]
)
const labelRule = explained(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character",
  labelFormat,
  ["my-name", "123-abc"]
)
const label1035Rule = explained(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character",
  label1035Format,
  ["my-name", "abc-123"]
)
const qualifiedRule = explained(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
    "alphanumeric character",
  qualifiedFormat,
  ["MyName", "my.name", "123-abc"]
)
const labelValueRule = explained(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    "and must start and end with an alphanumeric character",
  labelValueFormat,
  ["MyValue", "my_value", "12345"]
)

const configKeyRule = explained(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyFormat,
  ["key.name", "KEY_NAME", "key-name"]
)

const limited = (name: string, charactersMax: number): Problems =>
  name.length > charactersMax ? [`must be no more than ${charactersMax} characters`] : fine

export const subdomainProblems: NameRule = (name = "") =>
  joined(limited(name, 253), subdomainShape.test(name) ? fine : [subdomainRule])

export const labelProblems: NameRule = (name = "") =>
  joined(
    limited(name, 63),
    labelShape.test(name) ? fine : [subdomainShape.test(name) ? "must not contain dots" : labelRule]
  )

export const label1035Problems: NameRule = (name = "") =>
  joined(limited(name, 63), label1035Shape.test(name) ? fine : [label1035Rule])

/** A key of a ConfigMap or a Secret, which becomes the name of a file. */
export const configKeyProblems: NameRule = (key = "") =>
  joined(
    joined(limited(key, 253), configKeyShape.test(key) ? fine : [configKeyRule]),
    key === "." || key === ".."
      ? [`must not be '${key}'`]
      : key.startsWith("..")
        ? ["must not start with '..'"]
        : fine
  )

/** A label key, an annotation key or a finalizer: `name` or `prefix.example/name`. */
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
    : joined(prefixProblems(first), namePartProblems(second))
}

const prefixProblems: NameRule = (prefix) =>
  prefix === ""
    ? ["prefix part must be non-empty"]
    : subdomainProblems(prefix).map((problem) => `prefix part ${problem}`)

const namePartProblems: NameRule = (name = "") => {
  const size =
    name === "" ? ["must be non-empty"] : name.length > 63 ? ["must be no more than 63 bytes"] : fine
  const shape = qualifiedShape.test(name) ? fine : [qualifiedRule]
  return joined(size, shape).map((problem) => `name part ${problem}`)
}

export const labelValueProblems: NameRule = (value = "") =>
  joined(
    value.length > 63 ? ["must be no more than 63 bytes"] : fine,
    labelValueShape.test(value) ? fine : [labelValueRule]
  )

/** Names that only need to fit into a URL, as those of RBAC and of CertificateSigningRequests. */
export const pathSegmentProblems: NameRule = (name = "") => {
  if (name === "." || name === "..") return [`may not be '${name}'`]
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

/** A CronJob's Jobs append eleven characters to its name. */
const cronJobProblems: NameRule = (name = "") =>
  joined(subdomainProblems(name), name.length > 52 ? ["must be no more than 52 characters"] : fine)

const ruleByKind: Readonly<Record<string, NameRule>> = {
  Namespace: labelProblems,
  Service: label1035Problems,
  CronJob: cronJobProblems,
  CertificateSigningRequest: pathSegmentProblems,
  Role: pathSegmentProblems,
  RoleBinding: pathSegmentProblems,
  ClusterRole: pathSegmentProblems,
  ClusterRoleBinding: pathSegmentProblems
}

/** The rule for the names of a kind; most are DNS subdomains. */
export const nameRuleOf = ({ kind, custom }: Kind): NameRule =>
  (custom === undefined ? ruleByKind[kind] : undefined) ?? subdomainProblems

/** A generateName gets a suffix, so that its own last dash is not the name's end. */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name
