import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../../validation/fieldErrors.ts"
import { subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"

/** Source: apiserver/pkg/util/webhook/validation.go. */
export const validateClientConfig = (
  { url, service }: DeepPartial<Admission.WebhookClientConfig>,
  path: string
): FieldErrors => {
  if ((url === undefined) === (service === undefined))
    return [requiredValue(path, "exactly one of url or service is required")]
  return url === undefined
    ? validateService(service ?? {}, `${path}.service`)
    : validateUrl(url, `${path}.url`)
}

const urlForm = "; desired format: https://host[/path]"

/** Unlike Kubernetes, a text that is no URL gets a message of Node, not of Go. */
const validateUrl = (text: string, path: string): FieldErrors => {
  const parts = /^(?:([a-zA-Z][-+.a-zA-Z0-9]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(
    text
  )
  const [, scheme = "", authority = "", query = "", fragment = ""] = parts ?? []
  const at = authority.lastIndexOf("@")
  const [user, host] = [authority.slice(0, Math.max(at, 0)), authority.slice(at + 1)]
  if (host !== "" && !URL.canParse(text))
    return [requiredValue(path, `url must be a valid URL: Invalid URL${urlForm}`)]
  return [
    ...(scheme.toLowerCase() === "https"
      ? noErrors
      : [invalidField(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${urlForm}`)]),
    ...(host === "" ? [invalidField(path, host, `host must be specified${urlForm}`)] : noErrors),
    ...(at < 0 ? noErrors : [invalidField(path, user, "user information is not permitted in the URL")]),
    ...(fragment === ""
      ? noErrors
      : [invalidField(path, fragment, "fragments are not permitted in the URL")]),
    ...(query === ""
      ? noErrors
      : [invalidField(path, query, "query parameters are not permitted in the URL")])
  ]
}

const validateService = (
  { name = "", namespace = "", path: servicePath, port = 443 }: DeepPartial<Admission.ServiceReference>,
  path: string
): FieldErrors => [
  // As in Kubernetes, a missing namespace is reported at `name`, and a missing name at `namespace`.
  ...(namespace === "" ? [requiredValue(`${path}.name`)] : noErrors),
  ...(name === "" ? [requiredValue(`${path}.namespace`)] : noErrors),
  ...(port >= 1 && port <= 65535
    ? noErrors
    : [invalidField(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive")]),
  ...validateServicePath(servicePath ?? "", `${path}.path`)
]

const validateServicePath = (text: string, path: string): FieldErrors => {
  if (text === "" || text === "/") return noErrors
  const invalidPath = (why: string) => invalidField(path, text, why)
  if (text === "//") return [invalidPath("segment[0] may not be empty")]
  return [
    ...(text.startsWith("/") ? noErrors : [invalidPath("must start with a '/'")]),
    ...text
      .slice(1)
      .replace(/\/$/, "")
      .split("/")
      .flatMap((segment, index) =>
        segment === ""
          ? [invalidPath(`segment[${index}] may not be empty`)]
          : subdomainProblems(segment).map((problem) => invalidPath(`segment[${index}]: ${problem}`))
      )
  ]
}
