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

/** Undefined for a malformed escape. Source: apiserver/pkg/endpoints/request/requestinfo.go. */
export const parseTarget = (path: string): RequestTarget | undefined => {
  const segments = decodeSegments(path)
  if (segments === undefined) return undefined
  const [prefix, ...afterPrefix] = segments
  const plain = { type: "plain", path: `/${segments.join("/")}` } as const
  if (prefix === "api" && afterPrefix.length >= 2)
    return parseResourceTarget({ group: "", segments: afterPrefix }) ?? plain
  const [group = "", ...afterGroup] = afterPrefix
  if (prefix === "apis" && afterGroup.length >= 2)
    return parseResourceTarget({ group, segments: afterGroup }) ?? plain
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
  segments
}: {
  readonly group: string
  /** The path's segments from the version on. */
  readonly segments: ReadonlyArray<string>
}): ResourceTarget | undefined => {
  const [version = "", ...afterVersion] = segments
  const isWatchPath = afterVersion[0] === "watch"
  const [pluralOrNamespaces = "", nameOrNamespace, ...further] = isWatchPath
    ? afterVersion.slice(1)
    : afterVersion
  const common = { type: "resource", group, version, isWatchPath } as const
  const isInNamespace =
    pluralOrNamespaces === "namespaces" &&
    nameOrNamespace !== undefined &&
    further[0] !== undefined &&
    !isNamespaceSubresource(group, further)
  if (!isInNamespace) {
    const [subresource, ...excess] = further
    if (excess.length > 0) return undefined
    return { ...common, plural: pluralOrNamespaces, namespace: undefined, name: nameOrNamespace, subresource }
  }
  const [plural, name, subresource, ...excess] = further
  if (excess.length > 0) return undefined
  return { ...common, plural: plural ?? "", namespace: nameOrNamespace, name, subresource }
}

/** `namespaces/x/status` addresses the Namespace itself. */
const isNamespaceSubresource = (group: string, afterName: ReadonlyArray<string>): boolean =>
  group === "" && afterName.length === 1 && (afterName[0] === "status" || afterName[0] === "finalize")
