import type { GroupResource, Kind } from "../domain/kinds.ts"

/** What the path of a request points at. */
export type Target = ResourceTarget | PlainTarget

/** Anything that is not a resource: discovery, health, documents. */
interface PlainTarget {
  readonly type: "plain"
  readonly path: string
}

export interface ResourceTarget {
  readonly type: "resource"
  readonly group: string
  readonly version: string
  readonly plural: string
  /** Undefined for all namespaces, and for what has none. */
  readonly namespace: string | undefined
  /** Undefined for the collection. */
  readonly name: string | undefined
  readonly subresource: string | undefined
  /** The path had the old prefix `/watch/`, which means `?watch=1`. */
  readonly isWatchPath: boolean
}

/** A resource target together with the kind that is served there. */
export interface ServedTarget extends ResourceTarget {
  readonly kind: Kind
  /** Where its objects are stored. */
  readonly resource: GroupResource
}

/**
 * Reads a path. `undefined` for one that cannot be read: a bad escape.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 */
export const readTarget = (path: string): Target | undefined => {
  const segments = decoded(path)
  if (segments === undefined) return undefined
  const [prefix, ...rest] = segments
  const plain = { type: "plain", path: `/${segments.join("/")}` } as const
  if (prefix === "api" && rest.length >= 2) return resourceTarget({ group: "", rest }) ?? plain
  const [group = "", ...afterGroup] = rest
  if (prefix === "apis" && afterGroup.length >= 2) return resourceTarget({ group, rest: afterGroup }) ?? plain
  return plain
}

const decoded = (path: string): ReadonlyArray<string> | undefined => {
  try {
    const segments = path.split("/").filter((segment) => segment !== "")
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}

/** Undefined where there are more segments than any resource has. */
const resourceTarget = ({
  group,
  rest
}: {
  readonly group: string
  readonly rest: ReadonlyArray<string>
}): ResourceTarget | undefined => {
  const [version = "", ...all] = rest
  const isWatchPath = all[0] === "watch"
  const [first = "", second, ...more] = isWatchPath ? all.slice(1) : all
  const common = { type: "resource", group, version, isWatchPath } as const
  const isInside =
    first === "namespaces" && second !== undefined && more[0] !== undefined && !ofNamespace(group, more)
  if (!isInside) {
    const [subresource, ...tooMuch] = more
    if (tooMuch.length > 0) return undefined
    return { ...common, plural: first, namespace: undefined, name: second, subresource }
  }
  const [plural, name, subresource, ...tooMuch] = more
  if (tooMuch.length > 0) return undefined
  return { ...common, plural: plural ?? "", namespace: second, name, subresource }
}

/** `namespaces/x/status` is about the namespace itself. */
const ofNamespace = (group: string, rest: ReadonlyArray<string>): boolean =>
  group === "" && rest.length === 1 && (rest[0] === "status" || rest[0] === "finalize")
