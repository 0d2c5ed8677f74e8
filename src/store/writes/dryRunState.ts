import { customResourceDefinitionResource } from "../../kubernetes/customResources/definitions.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { makeKindIndex } from "../indexes/kindIndex.ts"
import { makeLimitRangeIndex } from "../indexes/limitRangeIndex.ts"
import { makeQuotaIndex } from "../indexes/quotaIndex.ts"
import { absentObject } from "../indexes/objectIndex.ts"
import type { ObjectOf } from "../../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { KindIndex } from "../indexes/kindIndex.ts"
import type { LimitRangeIndex } from "../indexes/limitRangeIndex.ts"
import type { WritableState } from "./objectWrites.ts"
import type { QuotaIndex } from "../indexes/quotaIndex.ts"
import type { ObjectTable } from "../replica.ts"
import type { ServiceAddresses } from "../indexes/serviceAddresses.ts"

export interface DryRunBase extends WritableState {
  readonly tableOf: (resource: GroupResource) => ReadonlyMap<Key, KubeObject>
  readonly definitions: KindIndex
  readonly limitRanges: LimitRangeIndex
  readonly quotas: QuotaIndex
  readonly addresses: ServiceAddresses
}

/** A copy for dry runs, valid until the base changes. */
export const makeDryRunState = (
  base: DryRunBase,
  { nowMillis }: { readonly nowMillis: () => number }
): WritableState => {
  const tables = new Map<GroupResource, DryRunTable>()
  const tableOf = (resource: GroupResource): DryRunTable => {
    const table = tables.get(resource) ?? dryRunTable(base.tableOf(resource))
    tables.set(resource, table)
    return table
  }
  // Stored objects have been validated.
  const get = <R extends GroupResource>(resource: R, key: Key): ObjectOf<R> | undefined =>
    tableOf(resource).get(key) as ObjectOf<R> | undefined
  const all = <R extends GroupResource>(resource: R): Iterable<ObjectOf<R>> =>
    tableOf(resource).values() as Iterable<ObjectOf<R>>
  const definitions = dryRunKinds(base)
  const limitRanges = dryRunLimits(base)
  const quotas = dryRunQuotas(base.quotas, { nowMillis, get, all })
  // Addresses are too many to copy: the dry run reads the base's.
  const addresses = base.addresses.copyForDryRun()
  let version = base.version()
  return {
    get,
    all,
    tableOf,
    definitions,
    limitRanges,
    quotas,
    addresses,
    version: () => version,
    apply: ({ type, resource, object, old, resourceVersion }) => {
      const next = type === "DELETED" ? undefined : object
      version = resourceVersion
      tableOf(resource).set(objectKeyOf(object), next)
      for (const index of [definitions, limitRanges, quotas, addresses]) index.update(resource, old, next)
    }
  }
}

interface DryRunTable extends Pick<ObjectTable, "get" | "size"> {
  readonly values: () => Iterable<KubeObject>
  readonly set: (key: Key, object: KubeObject | undefined) => void
}

const dryRunTable = (base: ReadonlyMap<Key, KubeObject>): DryRunTable => {
  const changes = new Map<Key, KubeObject | undefined>()
  const get = (key: Key): KubeObject | undefined => (changes.has(key) ? changes.get(key) : base.get(key))
  let size = base.size
  return {
    get,
    get size() {
      return size
    },
    *values() {
      for (const [key, object] of base) if (!changes.has(key)) yield object
      for (const object of changes.values()) if (object !== undefined) yield object
    },
    set: (key, object) => {
      size += Number(object !== undefined) - Number(get(key) !== undefined)
      changes.set(key, object)
    }
  }
}

const copyOnWrite = <A>(
  base: A,
  copy: () => A
): { readonly current: () => A; readonly writable: () => A } => {
  let copied: A | undefined
  return { current: () => copied ?? base, writable: () => (copied ??= copy()) }
}

const dryRunKinds = (base: DryRunBase): KindIndex => {
  const index = copyOnWrite(base.definitions, () => {
    const copy = makeKindIndex()
    for (const object of base.all(customResourceDefinitionResource))
      copy.update(customResourceDefinitionResource, absentObject, object)
    return copy
  })
  return {
    kinds: {
      findStored: (object) => index.current().kinds.findStored(object),
      findServed: (object) => index.current().kinds.findServed(object),
      findByResource: (resource) => index.current().kinds.findByResource(resource),
      served: () => index.current().kinds.served(),
      custom: () => index.current().kinds.custom()
    },
    update: (resource, old, next) => {
      if (resource === customResourceDefinitionResource) index.writable().update(resource, old, next)
    },
    establish: (resource, object, nowMillis) => index.current().establish(resource, object, nowMillis)
  }
}

const dryRunLimits = (base: DryRunBase): LimitRangeIndex => {
  const index = copyOnWrite(base.limitRanges, () => {
    const copy = makeLimitRangeIndex()
    for (const range of base.all(resources.limitRanges))
      copy.update(resources.limitRanges, absentObject, range)
    return copy
  })
  return {
    update: (resource, old, next) => {
      if (resource === resources.limitRanges) index.writable().update(resource, old, next)
    },
    limitsOf: (namespace) => index.current().limitsOf(namespace)
  }
}

/** Copies the use of a namespace's quotas on the first check, which precedes every `update`. */
const dryRunQuotas = (
  base: QuotaIndex,
  options: Parameters<typeof makeQuotaIndex>[0]
): Pick<QuotaIndex, "update" | "refusal"> => {
  const { update, refusal, restore } = makeQuotaIndex(options)
  const copiedNamespaces = new Set<string>()
  return {
    update,
    refusal: (resource, object, old) => {
      const { namespace = "" } = object.metadata
      if (!copiedNamespaces.has(namespace)) restore(base.save(namespace))
      copiedNamespaces.add(namespace)
      return refusal(resource, object, old)
    }
  }
}
