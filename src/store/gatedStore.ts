import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { groupResourceOf, resources } from "../domain/kinds.ts"
import { Acting } from "./acting.ts"
import { Conflict, InternalError, modifiedMeanwhile, Timeout, TooManyRequests } from "./errors.ts"
import type { GroupResource, KindRegistry } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { Witness, Write } from "./acting.ts"
import type { StoreError } from "./errors.ts"
import type { Later } from "./later.ts"
import type { NamedWrites, ObjectStore, Ref } from "./objectStore.ts"

type Store = ObjectStore["Service"]
type Written = Effect.Effect<KubeObject, StoreError>

export type { Write } from "./acting.ts"

export interface RefusalRule {
  readonly code: 409 | 429 | 500 | 504
  readonly matches: (write: Write) => boolean
  /** Called for each refusal, retries included. */
  readonly refused?: () => void
}

/** The store of one client or controller, with faults of its writes. */
export interface GatedStore {
  readonly store: Store
  /** The first rule that matches decides. Returns how to remove the rule. */
  readonly refuse: (rule: RefusalRule) => () => void
  /**
   * Runs a client's request: rules match the request, not its writes, and admit or refuse all of them together.
   * Errors of the request itself come first.
   */
  readonly asOne: <A, E>(as: Write, request: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreError>
  /** Delays every write or request; of several delays the longest counts. Calls `slowed` for each. */
  readonly slow: (millis: number, slowed?: () => void) => () => void
  /** Calls `done` after so many more writes; the fiber that makes the last one never resumes. */
  readonly countDown: (
    writes: number,
    done: () => void
  ) => { readonly stop: () => void; readonly left: () => number }
  /** Reports the outcome of every write to the observer of its fiber, or else to `others`. */
  readonly overhear: (others: Witness) => void
  /** Writes that wait, for a delay or to be retried. */
  readonly underway: () => number
  readonly isSlow: () => boolean
}

/** The request of a client that the present fiber carries out. All its writes are admitted or refused together. */
interface Asked {
  /** What is asked for, as the request itself says it. */
  readonly as: Write
  isAdmitted: boolean
  /** The request is carried out, but its answer is lost. */
  isLost: boolean
}

/** Undefined outside of a client's request. */
const Asking = Context.Reference<Asked | undefined>("charthouse/store/Asking", {
  defaultValue: () => undefined
})

/** Source: staging/src/k8s.io/client-go/rest/request.go (maxRetries). */
const retriesMax = 10
const retryAfterSeconds = 1

export const makeGatedStore = (options: {
  readonly store: Store
  readonly kinds: () => KindRegistry
  readonly later: Later
  /** Whether a write refused with 429 is retried, as client-go does. */
  readonly retries: boolean
}): GatedStore => {
  const { later } = options
  const rules: Array<RefusalRule> = []
  const delays: Array<{ readonly millis: number; readonly slowed: (() => void) | undefined }> = []
  const counts: Array<{ left: number; readonly done: () => void }> = []
  let underway = 0
  /** The observer of writes by fibers without one. */
  let overhearing: Witness | undefined

  const wait = (millis: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      underway += 1
      let isOver = false
      const { cancel } = later.after(millis, () => {
        over()
        resume(Effect.void)
      })
      const over = (): void => {
        if (!isOver) underway -= 1
        isOver = true
        cancel()
      }
      return Effect.sync(over)
    })

  /** Counts a write. The fiber that makes the last write of a countdown never resumes. */
  const counted = (written: Written): Written =>
    Effect.tap(written, () => {
      for (const count of counts) count.left -= 1
      const over = counts.filter(({ left }) => left <= 0)
      for (const count of over) {
        counts.splice(counts.indexOf(count), 1)
        count.done()
      }
      return over.length > 0 ? Effect.never : Effect.void
    })

  const admit = (write: Write, written: Written, retried: number): Written =>
    Effect.suspend(() => {
      const rule = rules.find(({ matches }) => matches(write))
      if (rule === undefined) return counted(written)
      rule.refused?.()
      if (rule.code === 504) return Effect.andThen(Effect.ignore(counted(written)), Effect.fail(lost()))
      if (rule.code === 429 && options.retries && retried < retriesMax) {
        return Effect.andThen(wait(retryAfterSeconds * 1000), admit(write, written, retried + 1))
      }
      return Effect.fail(refusalOf(rule.code, write))
    })
  /** The first write decides for the whole request. A 409 never matches a request that creates. */
  const admitAll = (asked: Asked, write: Write, written: Written): Written =>
    Effect.suspend(() => {
      const isNew = asked.as.verb === "create" || write.verb === "create"
      const rule = rules.find(({ code, matches }) => !(isNew && code === 409) && matches(asked.as))
      asked.isAdmitted = true
      rule?.refused?.()
      asked.isLost = rule?.code === 504
      return rule === undefined || rule.code === 504 ? written : Effect.fail(refusalOf(rule.code, write))
    })
  const asOne = <A, E>(as: Write, request: Effect.Effect<A, E>): Effect.Effect<A, E | StoreError> =>
    Effect.suspend((): Effect.Effect<A, E | StoreError> => {
      if (rules.length + delays.length === 0) return request
      const asked: Asked = { as, isAdmitted: false, isLost: false }
      const carriedOut = Effect.exit(Effect.provideService(request, Asking, asked))
      return Effect.flatMap(carriedOut, (exit): Effect.Effect<A, E | StoreError> =>
        asked.isLost ? Effect.fail(lost()) : exit
      )
    })
  const pass = (write: Write, written: Written): Written =>
    overhearing === undefined ? gated(write, written) : overheard(write, gated(write, written), overhearing)
  const gated = (write: Write, written: Written): Written =>
    Effect.flatMap(Asking, (asked) => {
      if (asked?.isAdmitted === true) return written
      const passed = asked === undefined ? admit(write, written, 0) : admitAll(asked, write, written)
      if (delays.length === 0) return passed
      for (const { slowed } of delays) slowed?.()
      return Effect.andThen(wait(Math.max(...delays.map(({ millis }) => millis))), passed)
    })

  const ofDraft = (verb: Write["verb"], { apiVersion, kind, metadata }: Draft): Write => {
    const known = options.kinds().ofObject({ apiVersion, kind })
    const name = metadata.name ?? metadata.generateName ?? ""
    return { verb, resource: known === undefined ? "" : groupResourceOf(known), name }
  }
  const ofRef = (verb: Write["verb"], { resource, key }: Ref): Write => ({
    verb,
    resource,
    name: key.slice(key.indexOf("/") + 1)
  })

  const open = options.store
  const named = ({ get, create, update }: NamedWrites): NamedWrites => ({
    get,
    create: (draft, only) => pass(ofDraft("create", draft), create(draft, only)),
    update: (draft, only) =>
      pass(ofDraft(only?.isPatch === true ? "patch" : "update", draft), update(draft, only))
  })
  const { rehearsal } = open
  const closed: Store = {
    ...open,
    ...named(open),
    // Dry runs can be refused, too.
    ...(rehearsal === undefined ? {} : { rehearsal: () => named(rehearsal()) }),
    updateStatus: (draft, only) => pass(ofDraft("status", draft), open.updateStatus(draft, only)),
    modify: (ref, change, only) =>
      pass(ofRef(only?.status === true ? "status" : "patch", ref), open.modify(ref, change, only)),
    bind: (binding) =>
      pass(ofRef("create", { resource: resources.pods, key: binding.key }), open.bind(binding)),
    finalizeNamespace: (name, finalizers) =>
      pass(
        ofRef("update", { resource: resources.namespaces, key: name }),
        open.finalizeNamespace(name, finalizers)
      ),
    delete: (ref, request) => pass(ofRef("delete", ref), open.delete(ref, request))
  }
  // Without faults, writes go straight to the store.
  const store = { ...open }
  const rehang = (): void => {
    const isOpen = overhearing === undefined && rules.length + delays.length + counts.length === 0
    Object.assign(store, isOpen ? open : closed)
  }
  const hang = <A>(list: Array<A>, item: A): (() => void) => {
    list.push(item)
    rehang()
    return () => {
      const place = list.indexOf(item)
      if (place >= 0) list.splice(place, 1)
      rehang()
    }
  }
  return {
    store,
    refuse: (rule) => hang(rules, rule),
    slow: (millis, slowed) => hang(delays, { millis, slowed }),
    asOne,
    countDown: (writes, done) => {
      const count = { left: writes, done }
      return { stop: hang(counts, count), left: () => count.left }
    },
    overhear: (others) => {
      overhearing = others
      rehang()
    },
    underway: () => underway,
    isSlow: () => delays.length > 0
  }
}

const overheard = Effect.fnUntraced(function* (write: Write, written: Written, others: Witness) {
  const witness = (yield* Acting) ?? others
  return yield* written.pipe(
    Effect.tap((object) => Effect.sync(() => witness.wrote(write, object))),
    Effect.tapError((error) => Effect.sync(() => witness.wrote(write, error)))
  )
})

/** Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go. */
const lost = (): StoreError =>
  new Timeout({ why: "request did not complete within requested timeout - context deadline exceeded" })

const refusalOf = (code: 409 | 429 | 500, { resource, name }: Write): StoreError => {
  switch (code) {
    case 409:
      return new Conflict({ resource, name, why: modifiedMeanwhile })
    case 429:
      return new TooManyRequests({ retryAfterSeconds })
    case 500:
      return new InternalError({ why: "etcdserver: leader changed" })
  }
}
