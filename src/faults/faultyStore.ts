import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { CurrentWriteObserver } from "../store/writeObserver.ts"
import { Conflict, InternalError, modifiedMeanwhile, Timeout, TooManyRequests } from "../store/storeErrors.ts"
import type { KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { WriteObserver, WriteAttributes } from "../store/writeObserver.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Timers } from "../runtime/timers.ts"
import type { NamedWrites, ObjectStore, Ref } from "../store/objectStore.ts"

type Store = ObjectStore["Service"]
type WriteEffect = Effect.Effect<KubeObject, StoreError>

export type { WriteAttributes as Write } from "../store/writeObserver.ts"

export interface WriteRefusalRule {
  readonly code: 409 | 429 | 500 | 504
  readonly matches: (write: WriteAttributes) => boolean
  /** Called for each refusal, retries included. */
  readonly onRefused?: () => void
}

/** The store of one client or controller, with faults of its writes. */
export interface FaultyStore {
  readonly store: Store
  /** The first rule that matches decides. Returns how to remove the rule. */
  readonly refuseWrites: (rule: WriteRefusalRule) => () => void
  /** Runs a client's request: rules match the request, not its writes, and admit or refuse all of them together. */
  readonly runAsOneRequest: <A, E>(
    as: WriteAttributes,
    request: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StoreError>
  /** Delays every write or request; of several delays the longest counts. Calls `slowed` for each. */
  readonly delayWrites: (millis: number, slowed?: () => void) => () => void
  /** Calls `done` after so many more writes; the fiber that makes the last one never resumes. */
  readonly afterWrites: (
    writes: number,
    done: () => void
  ) => { readonly stop: () => void; readonly left: () => number }
  /** Reports the outcome of every write to the observer of its fiber, or else to `others`. */
  readonly observeWrites: (others: WriteObserver) => void
  readonly waitingWrites: () => number
  readonly isDelayed: () => boolean
}

/** A client's request. All its writes are admitted or refused together. */
interface ClientRequest {
  /** What is asked for, as the request itself says it. */
  readonly attributes: WriteAttributes
  isAdmitted: boolean
  /** The request is carried out, but its answer is lost. */
  isLost: boolean
}

/** Undefined outside of a client's request. */
const CurrentRequest = Context.Reference<ClientRequest | undefined>("charthouse/store/Asking", {
  defaultValue: () => undefined
})

/** Source: staging/src/k8s.io/client-go/rest/request.go (maxRetries). */
const retriesMax = 10
const retryAfterSeconds = 1

interface FaultyStoreOptions {
  readonly store: Store
  readonly kinds: () => KindRegistry
  readonly timers: Timers
  /** Whether a write refused with 429 is retried, as client-go does. */
  readonly retries: boolean
}

export const makeFaultyStore = (options: FaultyStoreOptions): FaultyStore => {
  const { timers: later } = options
  const rules: Array<WriteRefusalRule> = []
  const delays: Array<{ readonly millis: number; readonly slowed: (() => void) | undefined }> = []
  const countdowns: Array<{ left: number; readonly done: () => void }> = []
  let waitingCount = 0
  let defaultObserver: WriteObserver | undefined

  const wait = (millis: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      waitingCount += 1
      let isOver = false
      const { cancel } = later.after(millis, () => {
        finish()
        resume(Effect.void)
      })
      const finish = (): void => {
        if (!isOver) waitingCount -= 1
        isOver = true
        cancel()
      }
      return Effect.sync(finish)
    })

  /** Counts a write. The fiber that makes the last write of a countdown never resumes. */
  const withCountdowns = (effect: WriteEffect): WriteEffect =>
    Effect.tap(effect, () => {
      for (const countdown of countdowns) countdown.left -= 1
      const finished = countdowns.filter(({ left }) => left <= 0)
      for (const countdown of finished) {
        countdowns.splice(countdowns.indexOf(countdown), 1)
        countdown.done()
      }
      return finished.length > 0 ? Effect.never : Effect.void
    })

  const admitWrite = (write: WriteAttributes, effect: WriteEffect, retries: number): WriteEffect =>
    Effect.suspend(() => {
      const rule = rules.find(({ matches }) => matches(write))
      if (rule === undefined) return withCountdowns(effect)
      rule.onRefused?.()
      if (rule.code === 504)
        return Effect.andThen(Effect.ignore(withCountdowns(effect)), Effect.fail(lostAnswer()))
      if (rule.code === 429 && options.retries && retries < retriesMax) {
        return Effect.andThen(wait(retryAfterSeconds * 1000), admitWrite(write, effect, retries + 1))
      }
      return Effect.fail(refusalOf(rule.code, write))
    })
  /** The first write decides for the whole request. A 409 never matches a request that creates. */
  const admitRequest = (request: ClientRequest, write: WriteAttributes, effect: WriteEffect): WriteEffect =>
    Effect.suspend(() => {
      const isNew = request.attributes.verb === "create" || write.verb === "create"
      const rule = rules.find(({ code, matches }) => !(isNew && code === 409) && matches(request.attributes))
      request.isAdmitted = true
      rule?.onRefused?.()
      request.isLost = rule?.code === 504
      return rule === undefined || rule.code === 504 ? effect : Effect.fail(refusalOf(rule.code, write))
    })
  const asOne = <A, E>(as: WriteAttributes, request: Effect.Effect<A, E>): Effect.Effect<A, E | StoreError> =>
    Effect.suspend((): Effect.Effect<A, E | StoreError> => {
      if (rules.length + delays.length === 0) return request
      const current: ClientRequest = { attributes: as, isAdmitted: false, isLost: false }
      const outcome = Effect.exit(Effect.provideService(request, CurrentRequest, current))
      return Effect.flatMap(outcome, (exit): Effect.Effect<A, E | StoreError> =>
        current.isLost ? Effect.fail(lostAnswer()) : exit
      )
    })
  const guardWrite = (write: WriteAttributes, effect: WriteEffect): WriteEffect =>
    defaultObserver === undefined
      ? withFaults(write, effect)
      : withObserver(write, withFaults(write, effect), defaultObserver)
  const withFaults = (write: WriteAttributes, effect: WriteEffect): WriteEffect =>
    Effect.flatMap(CurrentRequest, (request) => {
      if (request?.isAdmitted === true) return effect
      const admission =
        request === undefined ? admitWrite(write, effect, 0) : admitRequest(request, write, effect)
      if (delays.length === 0) return admission
      for (const { slowed } of delays) slowed?.()
      return Effect.andThen(wait(Math.max(...delays.map(({ millis }) => millis))), admission)
    })

  const attributesOfDraft = (
    verb: WriteAttributes["verb"],
    { apiVersion, kind, metadata }: Draft
  ): WriteAttributes => {
    const registered = options.kinds().ofObject({ apiVersion, kind })
    const name = metadata.name ?? metadata.generateName ?? ""
    return { verb, resource: registered === undefined ? "" : groupResourceOf(registered), name }
  }
  const attributesOfRef = (verb: WriteAttributes["verb"], { resource, key }: Ref): WriteAttributes => ({
    verb,
    resource,
    name: key.slice(key.indexOf("/") + 1)
  })

  const original = options.store
  const guardNamedWrites = ({ get, create, update }: NamedWrites): NamedWrites => ({
    get,
    create: (draft, writeOptions) =>
      guardWrite(attributesOfDraft("create", draft), create(draft, writeOptions)),
    update: (draft, writeOptions) =>
      guardWrite(
        attributesOfDraft(writeOptions?.isPatch === true ? "patch" : "update", draft),
        update(draft, writeOptions)
      )
  })
  const { rehearsal } = original
  const storeWithFaults: Store = {
    ...original,
    ...guardNamedWrites(original),
    // Dry runs can be refused, too.
    ...(rehearsal === undefined ? {} : { rehearsal: () => guardNamedWrites(rehearsal()) }),
    updateStatus: (draft, writeOptions) =>
      guardWrite(attributesOfDraft("status", draft), original.updateStatus(draft, writeOptions)),
    modify: (ref, change, writeOptions) =>
      guardWrite(
        attributesOfRef(writeOptions?.status === true ? "status" : "patch", ref),
        original.modify(ref, change, writeOptions)
      ),
    bind: (binding) =>
      guardWrite(
        attributesOfRef("create", { resource: resources.pods, key: binding.key }),
        original.bind(binding)
      ),
    finalizeNamespace: (name, finalizers) =>
      guardWrite(
        attributesOfRef("update", { resource: resources.namespaces, key: name }),
        original.finalizeNamespace(name, finalizers)
      ),
    delete: (ref, request) => guardWrite(attributesOfRef("delete", ref), original.delete(ref, request))
  }
  const store = { ...original }
  const switchStore = (): void => {
    const isWithoutFaults =
      defaultObserver === undefined && rules.length + delays.length + countdowns.length === 0
    Object.assign(store, isWithoutFaults ? original : storeWithFaults)
  }
  const addUntilRemoved = <A>(list: Array<A>, item: A): (() => void) => {
    list.push(item)
    switchStore()
    return () => {
      const index = list.indexOf(item)
      if (index >= 0) list.splice(index, 1)
      switchStore()
    }
  }
  return {
    store,
    refuseWrites: (rule) => addUntilRemoved(rules, rule),
    delayWrites: (millis, slowed) => addUntilRemoved(delays, { millis, slowed }),
    runAsOneRequest: asOne,
    afterWrites: (writes, done) => {
      const countdown = { left: writes, done }
      return { stop: addUntilRemoved(countdowns, countdown), left: () => countdown.left }
    },
    observeWrites: (others) => {
      defaultObserver = others
      switchStore()
    },
    waitingWrites: () => waitingCount,
    isDelayed: () => delays.length > 0
  }
}

const withObserver = Effect.fnUntraced(function* (
  write: WriteAttributes,
  effect: WriteEffect,
  others: WriteObserver
) {
  const observer = (yield* CurrentWriteObserver) ?? others
  return yield* effect.pipe(
    Effect.tap((object) => Effect.sync(() => observer.onWrite(write, object))),
    Effect.tapError((error) => Effect.sync(() => observer.onWrite(write, error)))
  )
})

/** Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go. */
const lostAnswer = (): StoreError =>
  new Timeout({ why: "request did not complete within requested timeout - context deadline exceeded" })

const refusalOf = (code: 409 | 429 | 500, { resource, name }: WriteAttributes): StoreError => {
  switch (code) {
    case 409:
      return new Conflict({ resource, name, why: modifiedMeanwhile })
    case 429:
      return new TooManyRequests({ retryAfterSeconds })
    case 500:
      return new InternalError({ why: "etcdserver: leader changed" })
  }
}
