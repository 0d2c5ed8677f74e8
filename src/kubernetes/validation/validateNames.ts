import { invalidField, noErrors, requiredValue, type FieldErrors } from "./fieldErrors.ts"
import { labelProblems, subdomainProblems, type NameRule } from "./nameRules.ts"

/** Source: validation.go (IsFullyQualifiedName, IsFullyQualifiedDomainName, IsDomainPrefixedPath). */
export const validateNameBy = (rule: NameRule, name: string | undefined, path: string): FieldErrors => {
  const problems = rule(name)
  return problems.length === 0 ? noErrors : problems.map((problem) => invalidField(path, name ?? "", problem))
}

export const validateOptionalName = (rule: NameRule, name: string | undefined, path: string): FieldErrors =>
  name === undefined || name === "" ? noErrors : validateNameBy(rule, name, path)

/** `why` follows "Required value" where the name is missing. */
export const validateRequiredName = (
  rule: NameRule,
  name: string | undefined,
  { path, why }: { readonly path: string; readonly why?: string }
): FieldErrors =>
  name === undefined || name === "" ? [requiredValue(path, why)] : validateNameBy(rule, name, path)

export const validateQualifiedDomain = (name = "", path: string): FieldErrors => {
  if (name === "") return [requiredValue(path)]
  const problems = subdomainProblems(name)
  if (problems.length > 0) return [invalidField(path, name, problems.join(","))]
  return name.split(".").length >= 3
    ? noErrors
    : [invalidField(path, name, "should be a domain with at least three segments separated by dots")]
}

export const validateHostDomain = (host = "", path: string): FieldErrors => {
  if (host === "") return [requiredValue(path)]
  const name = host.replace(/\.$/, "")
  const problems = subdomainProblems(name)
  if (problems.length > 0) return [invalidField(path, name, problems.join(","))]
  const labels = name.split(".")
  if (labels.length < 2)
    return [invalidField(path, name, "should be a domain with at least two segments separated by dots")]
  return labels.flatMap((label) => {
    const labelErrors = labelProblems(label)
    return labelErrors.length === 0 ? [] : [invalidField(path, label, labelErrors.join(","))]
  })
}

const httpPathFormat = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`
const httpPathShape = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

export const validateDomainPath = (text = "", path: string): FieldErrors => {
  if (text === "") return [requiredValue(path)]
  const slash = text.indexOf("/")
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)]
  if (slash < 1 || rest === "")
    return [invalidField(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const errors = validateNameBy(subdomainProblems, host, path)
  if (httpPathShape.test(rest)) return errors
  const rule = `Invalid path (regex used for validation is '${httpPathFormat}')`
  return [...errors, invalidField(path, rest, rule)]
}
