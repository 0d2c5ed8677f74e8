import { aggregateText } from "../meta/text/aggregateText.ts"
import { conditionOf, replaceConditions, transitionTime, type StatusCondition } from "../meta/conditions.ts"
import { definitionFinalizer, type CustomResourceDefinition, type DefinitionNames } from "./definitions.ts"
import { isTerminating, withFinalizer } from "../meta/deletion.ts"

/**
 * Unlike Kubernetes, a definition is served as soon as it is stored. Source:
 * apiextensions-apiserver/pkg/controller/status/naming_controller.go.
 */
export const withDefinitionStatus = (
  definition: CustomResourceDefinition,
  {
    otherDefinitions,
    nowMillis
  }: { readonly otherDefinitions: ReadonlyArray<CustomResourceDefinition>; readonly nowMillis: number }
): CustomResourceDefinition => {
  const { spec, status } = definition
  const sameGroup = otherDefinitions.filter((other) => other.spec.group === spec.group)
  const usedNames = collectNames(sameGroup.map((other) => other.status.acceptedNames))
  const { accepted, conflict } = acceptNames(spec.names, status.acceptedNames, usedNames)
  const wasEstablished = conditionOf(status.conditions, "Established")?.status === "True"
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
  const storageVersions = spec.versions.filter((version) => version.storage).map(({ name }) => name)
  return {
    ...definition,
    metadata: isTerminating(definition)
      ? definition.metadata
      : withFinalizer(definition, definitionFinalizer).metadata,
    status: {
      conditions: withConditions(status.conditions, conditions, nowMillis),
      acceptedNames: accepted,
      storedVersions: [...new Set([...(status.storedVersions ?? []), ...storageVersions])]
    }
  }
}

/** Custom resources are deleted before their definition. */
export const withTerminatingCondition = (
  definition: CustomResourceDefinition,
  nowMillis: number
): CustomResourceDefinition => {
  const condition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress"
  }
  const conditions = withConditions(definition.status.conditions, [condition], nowMillis)
  return { ...definition, status: { ...definition.status, conditions } }
}

const withConditions = (
  conditions: ReadonlyArray<StatusCondition> = [],
  desired: ReadonlyArray<StatusCondition>,
  nowMillis: number
): ReadonlyArray<StatusCondition> =>
  replaceConditions(
    conditions,
    desired.map((it) => ({
      ...it,
      lastTransitionTime: transitionTime(conditionOf(conditions, it.type), it.status, nowMillis)
    }))
  )

interface UsedNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** Plurals, singulars and short names share one namespace, kinds and list kinds another. */
const collectNames = (accepted: ReadonlyArray<DefinitionNames | undefined>): UsedNames => {
  const defined = accepted.filter((names) => names !== undefined)
  return {
    resources: new Set(
      defined.flatMap(({ plural, singular = "", shortNames = [] }) => [plural, singular, ...shortNames])
    ),
    kinds: new Set(defined.flatMap(({ kind, listKind = "" }) => [kind, listKind]))
  }
}

/** `conflict`: for the condition NamesAccepted; undefined if no name conflicts. */
interface NameResult {
  readonly accepted: DefinitionNames
  readonly conflict: { readonly reason: string; readonly message: string } | undefined
}

/** A conflicting name is not accepted: the name accepted before stays. The last conflict is reported. */
const acceptNames = (
  requested: DefinitionNames,
  acceptedBefore: DefinitionNames = { plural: "", kind: "" },
  usedNames: UsedNames
): NameResult => {
  let conflict: NameResult["conflict"]
  const choose = (
    name: string,
    acceptedNameBefore: string,
    usedByOthers: ReadonlySet<string>,
    reason: string
  ): string => {
    if (name === "" || name === acceptedNameBefore || !usedByOthers.has(name)) return name
    conflict = { reason, message: inUseMessage(name) }
    return acceptedNameBefore
  }
  const { shortNames = [], categories = [], singular = "", listKind = "" } = requested
  const plural = choose(requested.plural, acceptedBefore.plural, usedNames.resources, "PluralConflict")
  const chosenSingular = choose(
    singular,
    acceptedBefore.singular ?? "",
    usedNames.resources,
    "SingularConflict"
  )
  const conflicting = shortNames.filter(
    (name) => usedNames.resources.has(name) && !acceptedBefore.shortNames?.includes(name)
  )
  if (conflicting.length > 0) {
    conflict = { reason: "ShortNamesConflict", message: aggregateText(conflicting.map(inUseMessage)) }
  }
  const acceptedShortNames = conflicting.length > 0 ? (acceptedBefore.shortNames ?? []) : shortNames
  const kind = choose(requested.kind, acceptedBefore.kind, usedNames.kinds, "KindConflict")
  const chosenListKind = choose(listKind, acceptedBefore.listKind ?? "", usedNames.kinds, "ListKindConflict")
  const accepted = {
    plural,
    ...(chosenSingular === "" ? {} : { singular: chosenSingular }),
    ...(acceptedShortNames.length === 0 ? {} : { shortNames: acceptedShortNames }),
    kind,
    ...(chosenListKind === "" ? {} : { listKind: chosenListKind }),
    ...(categories.length === 0 ? {} : { categories })
  }
  return { accepted, conflict }
}

const inUseMessage = (name: string): string => `${JSON.stringify(name)} is already in use`
