import { apiVersionOf, builtInKinds, groupResourceOf, servedKinds } from "../../kubernetes/meta/kinds.ts"
import {
  customResourceDefinitionResource,
  kindsOfDefinition,
  type KindsOfDefinition,
  type CustomResourceDefinition
} from "../../kubernetes/customResources/definitions.ts"
import { withDefinitionStatus } from "../../kubernetes/customResources/definitionStatus.ts"
import type { GroupResource, Kind, KindRegistry, ObjectTypeMeta } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectIndex } from "./objectIndex.ts"

export interface KindIndex extends ObjectIndex {
  readonly kinds: KindRegistry
  /** Establishes a CustomResourceDefinition; returns other objects unchanged. */
  readonly establish: <O extends KubeObject>(resource: GroupResource, object: O, nowMillis: number) => O
}

const groupVersionKind = ({ apiVersion, kind }: ObjectTypeMeta): string => `${apiVersion}/${kind}`

export const makeKindIndex = (): KindIndex => {
  const storedDefinitions = new Map<string, CustomResourceDefinition>()
  let customKinds = customKindTables([])

  const update: KindIndex["update"] = (resource, old, next) => {
    if (resource !== customResourceDefinitionResource) return
    const name = (next ?? old)?.metadata.name ?? ""
    const previous = storedDefinitions.get(name)
    // Stored definitions have been validated.
    const definition = next as CustomResourceDefinition | undefined
    if (definition === undefined) storedDefinitions.delete(name)
    else storedDefinitions.set(name, definition)
    // Versions of an object share the parts that did not change.
    if (previous?.spec === definition?.spec && previous?.status === definition?.status) return
    customKinds = customKindTables(
      [...storedDefinitions.values()].map(kindsOfDefinition).filter((kinds) => kinds !== undefined)
    )
  }

  const establish: KindIndex["establish"] = (resource, object, nowMillis) => {
    if (resource !== customResourceDefinitionResource) return object
    const otherDefinitions = [...storedDefinitions.values()].filter(
      ({ metadata }) => metadata.name !== object.metadata.name
    )
    return withDefinitionStatus(object as unknown as CustomResourceDefinition, {
      otherDefinitions,
      nowMillis
    }) as unknown as typeof object
  }

  const kinds: KindRegistry = {
    findStored: (object) =>
      builtInKinds.findStored(object) ?? customKinds.stored.get(groupVersionKind(object)),
    findServed: (object) =>
      builtInKinds.findServed(object) ?? customKinds.served.get(groupVersionKind(object)),
    findByResource: (resource) =>
      builtInKinds.findByResource(resource) ?? customKinds.byResource.get(resource),
    served: () => customKinds.all,
    custom: () => customKinds.custom
  }
  return { kinds, update, establish }
}

const customKindTables = (defined: ReadonlyArray<KindsOfDefinition>) => {
  const served = defined.flatMap((kinds) => kinds.served)
  return {
    custom: defined.map((kinds) => kinds.stored),
    byResource: new Map(defined.map((kinds) => [groupResourceOf(kinds.stored), kinds.stored])),
    served: new Map(
      served.map((kind) => [groupVersionKind({ ...kind, apiVersion: apiVersionOf(kind) }), kind])
    ),
    // Objects stored in an older version belong to the kind, too.
    stored: new Map<string, Kind>(
      defined.flatMap((kinds) =>
        kinds.apiVersions.map(
          (apiVersion) => [groupVersionKind({ ...kinds.stored, apiVersion }), kinds.stored] as const
        )
      )
    ),
    all: served.length === 0 ? servedKinds : [...servedKinds, ...served]
  }
}
