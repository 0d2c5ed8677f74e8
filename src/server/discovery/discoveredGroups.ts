import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import { apiVersionOf, type Kind } from "../../kubernetes/meta/kinds.ts"

/** The preferred version comes first. */
export interface DiscoveredGroup {
  readonly name: string
  readonly versions: ReadonlyArray<DiscoveredVersion>
}

export interface DiscoveredVersion {
  readonly group: string
  readonly version: string
  readonly apiVersion: string
  readonly kinds: ReadonlyArray<Kind>
}

/** The groups come in the order of the kinds. The core group has the empty name. */
export const groupKinds = (kinds: ReadonlyArray<Kind>): ReadonlyArray<DiscoveredGroup> =>
  [...Map.groupBy(kinds, ({ group }) => group)].map(([name, kindsInGroup]) => ({
    name,
    versions: [...Map.groupBy(kindsInGroup, ({ version }) => version)]
      .toSorted(([a], [b]) => compareKubeVersions(a, b))
      .map(([version, kindsInVersion]) => ({
        group: name,
        version,
        apiVersion: apiVersionOf({ group: name, version }),
        kinds: kindsInVersion.toSorted((a, b) => compareTexts(a.plural, b.plural))
      }))
  }))

/** Source: apimachinery/pkg/version/helpers.go (CompareKubeAwareVersionStrings). */
export const compareKubeVersions = (a: string, b: string): number => {
  const [left, right] = [readVersion(a), readVersion(b)]
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1
    return right === undefined ? compareTexts(a, b) : 1
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor
}

/** From the least to the most preferred; a stable version such as `v1` has no stage. */
const stages = ["alpha", "beta", ""]

const readVersion = (version: string) => {
  const [, major, stage = "", minor = "0"] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? []
  if (major === undefined) return undefined
  return { stage: stages.indexOf(stage), major: Number(major), minor: Number(minor) }
}
