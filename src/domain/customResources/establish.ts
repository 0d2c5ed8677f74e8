import { conditionOf, type Condition } from "../conditions.ts"
import { timestampOf } from "../timestamps.ts"
import { cleanupFinalizer, type Definition, type DefinitionNames } from "./definitions.ts"

/**
 * A definition with what a server makes of it: which of its names nobody else has, whether it is served, and in which
 * versions objects have ever been stored.
 *
 * Unlike Kubernetes, where controllers see to it a moment later, a definition is served as soon as it is stored.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go,
 * pkg/controller/establish/establishing_controller.go and
 * pkg/registry/customresourcedefinition/strategy.go (storedVersions).
 */
export const established = (
  definition: Definition,
  { others, nowMillis }: { readonly others: ReadonlyArray<Definition>; readonly nowMillis: number }
): Definition => {
  const { spec, status } = definition
  const inGroup = others.filter((other) => other.spec.group === spec.group)
  const taken = namesTaken(inGroup.map((other) => other.status.acceptedNames))
  const { accepted, conflict } = acceptedNames(spec.names, status.acceptedNames, taken)
  const wasEstablished = conditionOf(status.conditions, "Established")?.status === "True"
  const present = { conditions: status.conditions ?? [], now: timestampOf(nowMillis) }
  const conditions = [
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict },
    conflict === undefined || wasEstablished
      ? {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted"
        }
      : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
  ]
  const storage = spec.versions.filter((version) => version.storage).map(({ name }) => name)
  const { finalizers = [] } = definition.metadata
  const isHeld = finalizers.includes(cleanupFinalizer) || definition.metadata.deletionTimestamp !== undefined
  return {
    ...definition,
    metadata: isHeld
      ? definition.metadata
      : { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] },
    status: {
      conditions: conditionsWith(present, conditions),
      acceptedNames: accepted,
      storedVersions: [...new Set([...(status.storedVersions ?? []), ...storage])]
    }
  }
}

/** A definition on its way out, as it says so. */
export const terminating = (definition: Definition, nowMillis: number): Definition => {
  const condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress"
  }
  const present = { conditions: definition.status.conditions ?? [], now: timestampOf(nowMillis) }
  return { ...definition, status: { ...definition.status, conditions: conditionsWith(present, [condition]) } }
}

/** The conditions with these among them; one whose status stays the same keeps its time. */
const conditionsWith = (
  { conditions, now }: { readonly conditions: ReadonlyArray<Condition>; readonly now: string },
  claims: ReadonlyArray<Condition>
): ReadonlyArray<Condition> => {
  const told = claims.map((claim): Condition => {
    const before = conditionOf(conditions, claim.type)
    const lastTransitionTime = before?.status === claim.status ? (before.lastTransitionTime ?? now) : now
    return { ...claim, lastTransitionTime }
  })
  const isNew = ({ type }: Condition): boolean => conditionOf(conditions, type) === undefined
  return [...conditions.map((it) => conditionOf(told, it.type) ?? it), ...told.filter(isNew)]
}

interface Taken {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** Plurals, singulars and short names are all asked for alike, and so are kinds and the kinds of their lists. */
const namesTaken = (others: ReadonlyArray<DefinitionNames | undefined>): Taken => {
  const known = others.filter((names) => names !== undefined)
  return {
    resources: new Set(
      known.flatMap(({ plural, singular = "", shortNames = [] }) => [plural, singular, ...shortNames])
    ),
    kinds: new Set(known.flatMap(({ kind, listKind = "" }) => [kind, listKind]))
  }
}

interface Verdict {
  readonly accepted: DefinitionNames
  readonly conflict: { readonly reason: string; readonly message: string } | undefined
}

/** A name that is taken leaves what was accepted before; the last conflict is the one that is told. */
const acceptedNames = (
  wanted: DefinitionNames,
  before: DefinitionNames = { plural: "", kind: "" },
  taken: Taken
): Verdict => {
  let conflict: Verdict["conflict"]
  const choose = (name: string, old: string, among: ReadonlySet<string>, reason: string): string => {
    if (name === "" || name === old || !among.has(name)) return name
    conflict = { reason, message: inUse(name) }
    return old
  }
  const { shortNames = [], categories = [], singular = "", listKind = "" } = wanted
  const plural = choose(wanted.plural, before.plural, taken.resources, "PluralConflict")
  const chosenSingular = choose(singular, before.singular ?? "", taken.resources, "SingularConflict")
  const clashing = shortNames.filter(
    (name) => taken.resources.has(name) && !before.shortNames?.includes(name)
  )
  if (clashing.length > 0) {
    const texts = clashing.map(inUse)
    const message = texts.length > 1 ? `[${texts.join(", ")}]` : texts.join("")
    conflict = { reason: "ShortNamesConflict", message }
  }
  const short = clashing.length > 0 ? (before.shortNames ?? []) : shortNames
  const kind = choose(wanted.kind, before.kind, taken.kinds, "KindConflict")
  const chosenListKind = choose(listKind, before.listKind ?? "", taken.kinds, "ListKindConflict")
  const accepted = {
    plural,
    ...(chosenSingular === "" ? {} : { singular: chosenSingular }),
    ...(short.length === 0 ? {} : { shortNames: short }),
    kind,
    ...(chosenListKind === "" ? {} : { listKind: chosenListKind }),
    ...(categories.length === 0 ? {} : { categories })
  }
  return { accepted, conflict }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`
