import { definitions as definitionsResource } from "../domain/customResources/definitions.ts"
import { resources } from "../domain/kinds.ts"
import { keyOf } from "../domain/objects.ts"
import { makeKindIndex } from "./kindIndex.ts"
import { makeLimitRangeIndex } from "./limitRanges.ts"
import { makeQuotaIndex } from "./quotas.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Key, KubeObject } from "../domain/objects.ts"
import type { KindIndex } from "./kindIndex.ts"
import type { LimitRangeIndex } from "./limitRanges.ts"
import type { ObjectOf } from "./objectStore.ts"
import type { WritableState } from "./objectWrites.ts"
import type { QuotaIndex } from "./quotas.ts"
import type { ObjectTable } from "./replica.ts"
import type { ServiceAddresses } from "./serviceAddresses.ts"

export interface ScratchBase extends WritableState {
  readonly tableOf: (resource: GroupResource) => ReadonlyMap<Key, KubeObject>
  readonly definitions: KindIndex
  readonly limitRanges: LimitRangeIndex
  readonly quotas: QuotaIndex
  readonly addresses: ServiceAddresses
}

/** A copy that keeps its writes to itself. It is valid until the base changes. */
export const makeScratchState = (
  base: ScratchBase,
  { nowMillis }: { readonly nowMillis: () => number }
): WritableState => {
  const tables = new Map<GroupResource, ScratchTable>()
  const tableOf = (resource: GroupResource): ScratchTable => {
    const table = tables.get(resource) ?? scratchTable(base.tableOf(resource))
    tables.set(resource, table)
    return table
  }
  // Stored objects have been validated.
  const get = <R extends GroupResource>(resource: R, key: Key): ObjectOf<R> | undefined =>
    tableOf(resource).get(key) as ObjectOf<R> | undefined
  const all = <R extends GroupResource>(resource: R): Iterable<ObjectOf<R>> =>
    tableOf(resource).values() as Iterable<ObjectOf<R>>
  const definitions = scratchKinds(base)
  const limitRanges = scratchLimits(base)
  const quotas = scratchQuotas(base.quotas, { nowMillis, get, all })
  const addresses = base.addresses.scratch()
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
      tableOf(resource).set(keyOf(object), next)
      for (const it of [definitions, limitRanges, quotas, addresses]) it.update(resource, old, next)
    }
  }
}

interface ScratchTable extends Pick<ObjectTable, "get" | "size"> {
  readonly values: () => Iterable<KubeObject>
  readonly set: (key: Key, object: KubeObject | undefined) => void
}

const scratchTable = (base: ReadonlyMap<Key, KubeObject>): ScratchTable => {
  const own = new Map<Key, KubeObject | undefined>()
  const get = (key: Key): KubeObject | undefined => (own.has(key) ? own.get(key) : base.get(key))
  let size = base.size
  return {
    get,
    get size() {
      return size
    },
    *values() {
      for (const [key, object] of base) if (!own.has(key)) yield object
      for (const object of own.values()) if (object !== undefined) yield object
    },
    set: (key, object) => {
      size += Number(object !== undefined) - Number(get(key) !== undefined)
      own.set(key, object)
    }
  }
}

/** Copies on the first write. */
const untilChanged = <A>(base: A, copy: () => A): { readonly now: () => A; readonly own: () => A } => {
  let own: A | undefined
  return { now: () => own ?? base, own: () => (own ??= copy()) }
}

const scratchKinds = (base: ScratchBase): KindIndex => {
  const index = untilChanged(base.definitions, () => {
    const copy = makeKindIndex()
    for (const object of base.all(definitionsResource)) copy.update(definitionsResource, undefined, object)
    return copy
  })
  return {
    kinds: {
      ofObject: (object) => index.now().kinds.ofObject(object),
      ofServed: (object) => index.now().kinds.ofServed(object),
      ofResource: (resource) => index.now().kinds.ofResource(resource),
      served: () => index.now().kinds.served(),
      custom: () => index.now().kinds.custom()
    },
    update: (resource, old, next) => {
      if (resource === definitionsResource) index.own().update(resource, old, next)
    },
    admitted: (resource, object, nowMillis) => index.now().admitted(resource, object, nowMillis)
  }
}

const scratchLimits = (base: ScratchBase): LimitRangeIndex => {
  const index = untilChanged(base.limitRanges, () => {
    const copy = makeLimitRangeIndex()
    for (const range of base.all(resources.limitRanges)) copy.update(resources.limitRanges, undefined, range)
    return copy
  })
  return {
    update: (resource, old, next) => {
      if (resource === resources.limitRanges) index.own().update(resource, old, next)
    },
    of: (namespace) => index.now().of(namespace)
  }
}

/** Copies the use of a namespace's quotas when they are first checked, which every write does. */
const scratchQuotas = (
  base: QuotaIndex,
  options: Parameters<typeof makeQuotaIndex>[0]
): Pick<QuotaIndex, "update" | "refusal"> => {
  const { update, refusal, restore } = makeQuotaIndex(options)
  const known = new Set<string>()
  return {
    update,
    refusal: (resource, object, old) => {
      const { namespace = "" } = object.metadata
      if (!known.has(namespace)) restore(base.save(namespace))
      known.add(namespace)
      return refusal(resource, object, old)
    }
  }
}
