import { compareTexts } from "../../domain/compareTexts.ts"
import { apiVersionOf, type Kind } from "../../domain/kinds.ts"

/** The versions of a group, the preferred one first. */
export interface Group {
  readonly name: string
  readonly versions: ReadonlyArray<GroupVersion>
}

export interface GroupVersion {
  readonly group: string
  readonly version: string
  /** `apps/v1`. */
  readonly apiVersion: string
  readonly kinds: ReadonlyArray<Kind>
}

/** All groups with their kinds sorted by name; the core group has the empty name. */
export const groupsOf = (kinds: ReadonlyArray<Kind>): ReadonlyArray<Group> =>
  [...Map.groupBy(kinds, ({ group }) => group)].map(([name, members]) => ({
    name,
    versions: [...Map.groupBy(members, ({ version }) => version)]
      .toSorted(([a], [b]) => compareVersions(a, b))
      .map(([version, inVersion]) => ({
        group: name,
        version,
        apiVersion: apiVersionOf({ group: name, version }),
        kinds: inVersion.toSorted((a, b) => compareTexts(a.plural, b.plural))
      }))
  }))

/**
 * Which version is preferred: what is stable before beta before alpha, the higher number before the lower,
 * and names of any other form last, by the alphabet.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/version/helpers.go (CompareKubeAwareVersionStrings).
 */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [readVersion(a), readVersion(b)]
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1
    return right === undefined ? compareTexts(a, b) : 1
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor
}

const stages = ["alpha", "beta", ""]

const readVersion = (version: string) => {
  const [, major, stage = "", minor = "0"] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? []
  if (major === undefined) return undefined
  return { stage: stages.indexOf(stage), major: Number(major), minor: Number(minor) }
}
