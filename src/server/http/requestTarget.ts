import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"

export type RequestTarget = ResourceTarget | PlainTarget

/** A path that is no resource, such as `/version`. */
interface PlainTarget {
  readonly type: "plain"
  readonly path: string
}

export interface ResourceTarget {
  readonly type: "resource"
  readonly group: string
  readonly version: string
  readonly plural: string
  /** Undefined for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  /** The deprecated prefix `/watch/` means `?watch=1`. */
  readonly isWatchPath: boolean
}

export interface ServedTarget extends ResourceTarget {
  readonly kind: Kind
  /** Where the objects are stored, which may be another kind's resource. */
  readonly resource: GroupResource
}

/** Undefined for a malformed escape. Source: staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go. */
export const parseTarget = (path: string): RequestTarget | undefined => {
  const segments = decodeSegments(path)
  if (segments === undefined) return undefined
  const [prefix, ...rest] = segments
  const plain = { type: "plain", path: `/${segments.join("/")}` } as const
  if (prefix === "api" && rest.length >= 2) return parseResourceTarget({ group: "", rest }) ?? plain
  const [group = "", ...afterGroup] = rest
  if (prefix === "apis" && afterGroup.length >= 2)
    return parseResourceTarget({ group, rest: afterGroup }) ?? plain
  return plain
}

const decodeSegments = (path: string): ReadonlyArray<string> | undefined => {
  try {
    const segments = path.split("/").filter((segment) => segment !== "")
    return segments.map((segment) => decodeURIComponent(segment))
  } catch {
    return undefined
  }
}

const parseResourceTarget = ({
  group,
  rest
}: {
  readonly group: string
  readonly rest: ReadonlyArray<string>
}): ResourceTarget | undefined => {
  const [version = "", ...afterVersion] = rest
  const isWatchPath = afterVersion[0] === "watch"
  const [first = "", second, ...more] = isWatchPath ? afterVersion.slice(1) : afterVersion
  const common = { type: "resource", group, version, isWatchPath } as const
  const isInNamespace =
    first === "namespaces" &&
    second !== undefined &&
    more[0] !== undefined &&
    !isNamespaceSubresource(group, more)
  if (!isInNamespace) {
    const [subresource, ...excess] = more
    if (excess.length > 0) return undefined
    return { ...common, plural: first, namespace: undefined, name: second, subresource }
  }
  const [plural, name, subresource, ...excess] = more
  if (excess.length > 0) return undefined
  return { ...common, plural: plural ?? "", namespace: second, name, subresource }
}

/** `namespaces/x/status` addresses the Namespace itself. */
const isNamespaceSubresource = (group: string, rest: ReadonlyArray<string>): boolean =>
  group === "" && rest.length === 1 && (rest[0] === "status" || rest[0] === "finalize")
