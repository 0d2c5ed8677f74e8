import { resources } from "../domain/kinds.ts"
import { keyOf } from "../domain/objects.ts"
import { isFinished } from "../domain/pods.ts"
import {
  elsewhereAnnotation,
  exceededBy,
  missingAmounts,
  nothing,
  podUsage,
  quotaRule,
  quotaStatus,
  releasedAfterMillis
} from "../domain/quotas.ts"
import { amountsBeyond, changesUse, countOf, objectUsage, quotaResources } from "../domain/quotaUsage.ts"
import { isSameValue } from "../domain/sameness.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Key, KubeObject, Pod } from "../domain/objects.ts"
import type { Amounts } from "../domain/podResources.ts"
import type { QuotaRule, ResourceQuota } from "../domain/quotas.ts"
import type { Quantity } from "../domain/quantity.ts"
import type { Upkeep } from "./upkeep.ts"

/** What the quotas have come to. */
export interface QuotaUsage {
  /** The status that a quota should have now; undefined where there is no such quota. */
  readonly status: (key: Key) => ResourceQuota["status"] | undefined
  /** When a Pod that is stuck on its way out is next let off, in Unix milliseconds. */
  readonly nextReleaseMillis: (namespace: string) => number | undefined
  /** Calls back with the key of every quota whose bounds or use have changed, or will. Returns how to stop. */
  readonly subscribe: (listener: (key: Key) => void) => () => void
}

/**
 * What the objects of every namespace with a quota take, kept up with each write: one that changes nothing which is
 * counted costs a look-up, and a namespace without a quota costs none but that.
 */
export interface QuotaLedgers extends QuotaUsage, Upkeep {
  /** Why an object cannot be created, or take the place of an old one; undefined where it can. */
  readonly refusal: (resource: GroupResource, object: KubeObject, old?: KubeObject) => string | undefined
  /** Of one namespace, or of all. */
  readonly save: (namespace?: string) => QuotasState
  /** For ledgers that know of no quota yet; the quotas themselves are there. */
  readonly restore: (state: QuotasState) => void
}

/** What is used, by namespace and quota. */
export type QuotasState = ReadonlyArray<readonly [namespace: string, BookState]>

interface BookState {
  readonly ledgers: ReadonlyArray<readonly [name: string, Key, ReadonlyArray<readonly [string, Quantity]>]>
  readonly leaving: ReadonlyArray<Leaving>
  readonly released: ReadonlyArray<string>
}

/** One quota: what it says, and what is used of it. */
interface Ledger {
  readonly key: Key
  readonly rule: QuotaRule
  readonly used: Map<string, Quantity>
}

/** One namespace. */
interface Book {
  /** By name, in the order of names. */
  readonly ledgers: Map<string, Ledger>
  /** Pods on their way out, in the order in which they are let off. An entry may have been overtaken by events. */
  readonly leaving: Array<Leaving>
  /** Uids of Pods that have been let off. */
  readonly released: Set<string>
}

interface Leaving {
  readonly afterMillis: number
  readonly key: Key
  readonly uid: string
}

/**
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go. Unlike Kubernetes, a quota
 * holds from the moment it is written: nothing is refused because its status is not known yet.
 */
export const makeQuotaLedgers = (options: {
  readonly nowMillis: () => number
  readonly get: (resource: GroupResource, key: Key) => KubeObject | undefined
  readonly all: (resource: GroupResource) => Iterable<KubeObject>
}): QuotaLedgers => {
  const books = new Map<string, Book>()
  const listeners = new Set<(key: Key) => void>()
  const tell = (key: Key): void => {
    for (const listener of listeners) listener(key)
  }

  const objectsOf = function* (resource: GroupResource, namespace: string): Iterable<KubeObject> {
    for (const object of options.all(resource)) if (object.metadata.namespace === namespace) yield object
  }

  /** Counts what is there, once a quota. */
  const openLedger = (book: Book, quota: ResourceQuota): void => {
    const { name, namespace = "" } = quota.metadata
    const rule = quotaRule(quota)
    const ledger: Ledger = { key: keyOf(quota), rule, used: new Map() }
    for (const resource of quotaResources) {
      const names = rule.namesFor(resource)
      for (const counted of names) ledger.used.set(counted, rule.elsewhere.get(counted) ?? nothing)
      if (names.length === 0) continue
      for (const object of objectsOf(resource, namespace)) {
        charge(ledger, resource, { object, usage: usageOf(book, resource, object), by: 1n })
      }
    }
    const sorted = [...book.ledgers, [name, ledger] as const].sort(([a], [b]) => (a < b ? -1 : 1))
    book.ledgers.clear()
    for (const [called, kept] of sorted) book.ledgers.set(called, kept)
  }

  const openBook = (namespace: string): Book => {
    const book: Book = { ledgers: new Map(), leaving: [], released: new Set() }
    books.set(namespace, book)
    for (const pod of objectsOf(resources.pods, namespace)) expectRelease(book, pod as Pod)
    return book
  }

  const updateQuota = (old: ResourceQuota | undefined, next: ResourceQuota | undefined): void => {
    const quota = next ?? old
    if (quota === undefined) return
    const { name, namespace = "" } = quota.metadata
    if (next === undefined) {
      const book = books.get(namespace)
      book?.ledgers.delete(name)
      if (book?.ledgers.size === 0) books.delete(namespace)
    } else {
      if (old !== undefined && isSameValue(old.spec, next.spec) && isSameElsewhere(old, next)) return
      const book = books.get(namespace) ?? openBook(namespace)
      book.ledgers.delete(name)
      openLedger(book, next)
    }
    tell(keyOf(quota))
  }

  /** Notes when a Pod on its way out is let off; one that should be gone by now is let off at once. */
  const expectRelease = (book: Book, pod: Pod): void => {
    const afterMillis = isFinished(pod) ? undefined : releasedAfterMillis(pod)
    if (afterMillis === undefined) return
    const { uid } = pod.metadata
    if (options.nowMillis() > afterMillis) {
      book.released.add(uid)
      return
    }
    let place = book.leaving.length
    while (place > 0 && (book.leaving[place - 1]?.afterMillis ?? 0) > afterMillis) place -= 1
    book.leaving.splice(place, 0, { afterMillis, key: keyOf(pod), uid })
  }

  /** Lets off whose time has come. */
  const release = (book: Book): void => {
    const now = options.nowMillis()
    for (let first = book.leaving[0]; first !== undefined; first = book.leaving[0]) {
      const pod = options.get(resources.pods, first.key) as Pod | undefined
      const isStill = pod?.metadata.uid === first.uid && releasedAfterMillis(pod) === first.afterMillis
      if (isStill && now <= first.afterMillis) return
      book.leaving.shift()
      if (pod === undefined || !isStill || isFinished(pod) || book.released.has(first.uid)) continue
      const before = usageOf(book, resources.pods, pod)
      book.released.add(first.uid)
      post(book, resources.pods, { object: pod, usage: before, by: -1n })
      post(book, resources.pods, { object: pod, usage: usageOf(book, resources.pods, pod), by: 1n })
    }
  }

  const post = (book: Book, resource: GroupResource, entry: Entry): void => {
    for (const ledger of book.ledgers.values()) if (charge(ledger, resource, entry)) tell(ledger.key)
  }

  const updatePod = (book: Book, old: Pod | undefined, next: Pod | undefined): void => {
    const before = old === undefined ? none : usageOf(book, resources.pods, old)
    if (next === undefined) book.released.delete(old?.metadata.uid ?? "")
    else if (next.metadata.deletionTimestamp !== old?.metadata.deletionTimestamp) {
      expectRelease(book, next)
      // Nothing of their use has changed, but the moment at which it will.
      for (const { key } of book.ledgers.values()) tell(key)
    }
    const after = next === undefined ? none : usageOf(book, resources.pods, next)
    if (before === after && old?.spec === next?.spec) return
    if (old !== undefined) post(book, resources.pods, { object: old, usage: before, by: -1n })
    if (next !== undefined) post(book, resources.pods, { object: next, usage: after, by: 1n })
  }

  return {
    update: (resource, old, next) => {
      const object = next ?? old
      const book = books.size === 0 ? undefined : books.get(object?.metadata.namespace ?? "")
      if (book !== undefined && quotaResources.has(resource)) {
        if (resource === resources.pods) updatePod(book, old as Pod | undefined, next as Pod | undefined)
        else if (!isSameUse(resource, old, next)) {
          if (old !== undefined)
            post(book, resource, { object: old, usage: objectUsage(resource, old), by: -1n })
          if (next !== undefined)
            post(book, resource, { object: next, usage: objectUsage(resource, next), by: 1n })
        }
      }
      if (resource === resources.resourceQuotas) {
        updateQuota(old as ResourceQuota | undefined, next as ResourceQuota | undefined)
      }
    },
    refusal: (resource, object, old) => {
      if (old !== undefined && !changesUse.has(resource)) return undefined
      const book = books.size === 0 ? undefined : books.get(object.metadata.namespace ?? "")
      if (book === undefined || !quotaResources.has(resource)) return undefined
      release(book)
      const concerned = [...book.ledgers.values()].filter(
        ({ rule }) => rule.namesFor(resource).length > 0 && rule.covers(resource, object)
      )
      // What every quota wants said comes before what any of them has left.
      for (const { rule } of concerned) {
        if (resource !== resources.pods) break
        const missing = missingAmounts(rule.namesFor(resource), (object as Pod).spec)
        if (missing !== undefined) return `failed quota: ${rule.name}: ${missing}`
      }
      const all = usageOf(book, resource, object)
      const more = old === undefined ? all : amountsBeyond(all, usageOf(book, resource, old))
      for (const { rule, used } of concerned) {
        const requested = old === undefined || rule.covers(resource, old) ? more : all
        const exceeded = exceededBy({ rule, resource, used, requested })
        if (exceeded !== undefined) return exceeded
      }
      return undefined
    },
    status: (key) => {
      const quota = options.get(resources.resourceQuotas, key)
      const book = books.get(quota?.metadata.namespace ?? "")
      if (quota === undefined || book === undefined) return undefined
      release(book)
      const ledger = book.ledgers.get(quota.metadata.name)
      return ledger === undefined ? undefined : quotaStatus(ledger.rule, ledger.used)
    },
    nextReleaseMillis: (namespace) => {
      const book = books.get(namespace)
      if (book === undefined) return undefined
      release(book)
      const [first] = book.leaving
      return first === undefined ? undefined : first.afterMillis + 1
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    save: (namespace) =>
      [...(namespace === undefined ? books.keys() : [namespace])].flatMap((name) => {
        const book = books.get(name)
        return book === undefined ? [] : [[name, stateOf(book)] as const]
      }),
    restore: (state) => {
      for (const [namespace, { ledgers, leaving, released }] of state) {
        const book: Book = { ledgers: new Map(), leaving: [...leaving], released: new Set(released) }
        for (const [name, key, used] of ledgers) {
          const quota = options.get(resources.resourceQuotas, key) as ResourceQuota | undefined
          if (quota !== undefined)
            book.ledgers.set(name, { key, rule: quotaRule(quota), used: new Map(used) })
        }
        books.set(namespace, book)
      }
    }
  }
}

const stateOf = ({ ledgers, leaving, released }: Book): BookState => ({
  ledgers: Array.from(ledgers, ([name, { key, used }]) => [name, key, [...used]]),
  leaving: [...leaving],
  released: [...released]
})

const isSameElsewhere = (old: ResourceQuota, next: ResourceQuota): boolean =>
  old.metadata.annotations?.[elsewhereAnnotation] === next.metadata.annotations?.[elsewhereAnnotation]

/** Whether a change of what is no Pod leaves every sum as it is. */
const isSameUse = (
  resource: GroupResource,
  old: KubeObject | undefined,
  next: KubeObject | undefined
): boolean => {
  if (old === undefined || next === undefined) return false
  return !changesUse.has(resource) || isSameValue(countedOf(old), countedOf(next))
}

/** All that the use of an object is read from. */
const countedOf = ({ metadata, ...rest }: KubeObject): object => ({
  ...rest,
  annotations: metadata.annotations
})

const none: Amounts = new Map()

const usageOf = (book: Book, resource: GroupResource, object: KubeObject): Amounts => {
  if (resource !== resources.pods) return objectUsage(resource, object)
  const pod = object as Pod
  const isCharged = !isFinished(pod) && !book.released.has(pod.metadata.uid)
  return isCharged ? podUsage(pod.spec) : countOf(resources.pods)
}

interface Entry {
  readonly object: KubeObject
  readonly usage: Amounts
  readonly by: 1n | -1n
}

/** Adds to a ledger or takes from it; answers whether anything there was meant. */
const charge = ({ rule, used }: Ledger, resource: GroupResource, { object, usage, by }: Entry): boolean => {
  const names = rule.namesFor(resource)
  if (names.length === 0 || !rule.covers(resource, object)) return false
  for (const name of names) {
    const amount = usage.get(name)
    if (amount === undefined) continue
    const { nanos, format } = used.get(name) ?? nothing
    used.set(name, { nanos: nanos + by * amount.nanos, format: nanos === 0n ? amount.format : format })
  }
  return true
}
