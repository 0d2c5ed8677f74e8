import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import { UnusableKubeconfig } from "./clientErrors.ts"
import type { OutgoingHttpHeaders } from "node:http"
import type { KubeUser } from "./kubeContext.ts"

/**
 * Source: client-go/transport/round_trippers.go (impersonatingRoundTripper),
 * tools/clientcmd/validation.go (validateAuthInfo).
 */
export const impersonationHeaders = ({ name, fields }: KubeUser): OutgoingHttpHeaders => {
  const user = textOrEmpty(fields["as"])
  const uid = textOrEmpty(fields["as-uid"])
  const groups = textsIn(fields["as-groups"])
  const extra = Object.entries(fieldsOrEmpty(fields["as-user-extra"]))
  if (user === "") {
    if (uid === "" && groups.length === 0 && extra.length === 0) return {}
    throw new UnusableKubeconfig(
      `user ${JSON.stringify(name)}: as-uid, as-groups and as-user-extra say nothing without as`
    )
  }
  return {
    "impersonate-user": user,
    ...(uid === "" ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      extra
        .map(([key, values]) => [`impersonate-extra-${headerNameOf(key)}`, textsIn(values)] as const)
        .filter(([, values]) => values.length > 0)
    )
  }
}

const textsIn = (value: unknown): Array<string> =>
  Array.isArray(value) ? value.filter((it) => typeof it === "string") : []

const headerNameOf = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const letter = String.fromCodePoint(byte)
      return headerNameCharacter.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

/** Source: RFC 9110, 5.6.2 (tchar) without `%`, which escapes. */
const headerNameCharacter = /^[\w!#$&'*+.^`|~-]$/
