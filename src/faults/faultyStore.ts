import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { interceptWrites } from "../store/interceptWrites.ts"
import { Conflict, InternalError, modifiedMeanwhile, Timeout, TooManyRequests } from "../store/storeErrors.ts"
import type { KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { WriteAttributes, WriteEffect } from "../store/interceptWrites.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Timers } from "../runtime/timers.ts"
import type { ObjectStore } from "../store/objectStore.ts"

type Store = ObjectStore["Service"]

export interface WriteRefusalRule {
  readonly code: 409 | 429 | 500 | 504
  readonly matches: (write: WriteAttributes) => boolean
  readonly onRefused?: () => void
}

export interface FaultyStore {
  /** The first matching rule decides. Returns how to remove the rule. */
  readonly refuseWrites: (rule: WriteRefusalRule) => () => void
  /** The longest delay counts. Returns how to end this delay. */
  readonly delayWrites: (millis: number, onDelayed?: () => void) => () => void
  /** The fiber of the last of these writes never resumes, as if its controller had crashed. */
  readonly afterWrites: (
    writes: number,
    onLastWrite: () => void
  ) => { readonly stop: () => void; readonly writesLeft: () => number }
  /** Rules match the request, not its single writes. Undefined while no fault refuses or delays writes. */
  readonly findFaultRunner: () => RunAsOneRequest | undefined
  readonly waitingWrites: () => number
  readonly isDelayed: () => boolean
}

export type RunAsOneRequest = <A, E>(
  attributes: WriteAttributes,
  request: Effect.Effect<A, E>
) => Effect.Effect<A, E | StoreError>

interface ClientRequest {
  readonly attributes: WriteAttributes
  hasRuleDecided: boolean
  isAnswerLost: boolean
}

const CurrentRequest = Context.Reference<ClientRequest | undefined>("charthouse/faults/CurrentRequest", {
  defaultValue: () => undefined
})

/** Source: client-go/rest/request.go (maxRetries). */
const retriesMax = 10
const retryAfterSeconds = 1

interface FaultyStoreOptions {
  readonly store: Store
  readonly kinds: KindRegistry
  readonly timers: Timers
  readonly retriesAfter429: boolean
  readonly replaceStore: (store: Store) => void
}

export const makeFaultyStore = (options: FaultyStoreOptions): FaultyStore => {
  const { timers } = options
  const rules: Array<WriteRefusalRule> = []
  const delays: Array<{ readonly millis: number; readonly onDelayed: (() => void) | undefined }> = []
  const countdowns: Array<{ left: number; readonly onLastWrite: () => void }> = []
  let waitingCount = 0

  const wait = (millis: number): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      waitingCount += 1
      let isOver = false
      const { cancel } = timers.after(millis, () => {
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

  const withCountdowns = (effect: WriteEffect): WriteEffect =>
    Effect.tap(effect, () => {
      for (const countdown of countdowns) countdown.left -= 1
      const finished = countdowns.filter(({ left }) => left <= 0)
      for (const countdown of finished) {
        countdowns.splice(countdowns.indexOf(countdown), 1)
        countdown.onLastWrite()
      }
      return finished.length > 0 ? Effect.never : Effect.void
    })

  const admitWrite = (write: WriteAttributes, effect: WriteEffect, retriesSoFar: number): WriteEffect =>
    Effect.suspend(() => {
      const rule = rules.find(({ matches }) => matches(write))
      if (rule === undefined) return withCountdowns(effect)
      rule.onRefused?.()
      if (rule.code === 504)
        return Effect.andThen(Effect.ignore(withCountdowns(effect)), Effect.fail(lostAnswer()))
      if (rule.code === 429 && options.retriesAfter429 && retriesSoFar < retriesMax) {
        return Effect.andThen(wait(retryAfterSeconds * 1000), admitWrite(write, effect, retriesSoFar + 1))
      }
      return Effect.fail(refusalOf(rule.code, write))
    })
  /** The first write decides for the whole request. For a request that creates, a 409 would mean AlreadyExists. */
  const admitRequest = (request: ClientRequest, write: WriteAttributes, effect: WriteEffect): WriteEffect =>
    Effect.suspend(() => {
      const isCreation = request.attributes.verb === "create" || write.verb === "create"
      const rule = rules.find(
        ({ code, matches }) => !(isCreation && code === 409) && matches(request.attributes)
      )
      request.hasRuleDecided = true
      rule?.onRefused?.()
      request.isAnswerLost = rule?.code === 504
      return rule === undefined || rule.code === 504 ? effect : Effect.fail(refusalOf(rule.code, write))
    })
  const runAsOneRequest: RunAsOneRequest = <A, E>(
    attributes: WriteAttributes,
    request: Effect.Effect<A, E>
  ) =>
    Effect.suspend(() => {
      const current: ClientRequest = { attributes, hasRuleDecided: false, isAnswerLost: false }
      const outcome = Effect.exit(Effect.provideService(request, CurrentRequest, current))
      return Effect.flatMap(outcome, (exit): Effect.Effect<A, E | StoreError> =>
        current.isAnswerLost ? Effect.fail(lostAnswer()) : exit
      )
    })
  const withFaults = (write: WriteAttributes, effect: WriteEffect): WriteEffect =>
    Effect.flatMap(CurrentRequest, (request) => {
      if (request?.hasRuleDecided === true) return effect
      const admission =
        request === undefined ? admitWrite(write, effect, 0) : admitRequest(request, write, effect)
      if (delays.length === 0) return admission
      for (const { onDelayed } of delays) onDelayed?.()
      return Effect.andThen(wait(Math.max(...delays.map(({ millis }) => millis))), admission)
    })

  const updateStore = (): void => {
    const { store, kinds, replaceStore } = options
    const isFaulty = rules.length + delays.length + countdowns.length > 0
    replaceStore(isFaulty ? interceptWrites(store, kinds, withFaults) : store)
  }
  const addUntilRemoved = <A>(list: Array<A>, item: A): (() => void) => {
    list.push(item)
    updateStore()
    return () => {
      const index = list.indexOf(item)
      if (index >= 0) list.splice(index, 1)
      updateStore()
    }
  }
  return {
    refuseWrites: (rule) => addUntilRemoved(rules, rule),
    delayWrites: (millis, onDelayed) => addUntilRemoved(delays, { millis, onDelayed }),
    afterWrites: (writes, onLastWrite) => {
      const countdown = { left: writes, onLastWrite }
      return { stop: addUntilRemoved(countdowns, countdown), writesLeft: () => countdown.left }
    },
    findFaultRunner: () => (rules.length + delays.length === 0 ? undefined : runAsOneRequest),
    waitingWrites: () => waitingCount,
    isDelayed: () => delays.length > 0
  }
}

/** Source: apiserver/pkg/endpoints/handlers/finisher/finisher.go. */
const lostAnswer = (): StoreError =>
  new Timeout({ why: "request did not complete within requested timeout - context deadline exceeded" })

const refusalOf = (code: 409 | 429 | 500, { resource, name }: WriteAttributes): StoreError => {
  switch (code) {
    case 409:
      return new Conflict({ resource, resourceName: name, why: modifiedMeanwhile })
    case 429:
      return new TooManyRequests({ retryAfterSeconds })
    case 500:
      return new InternalError({ why: "etcdserver: leader changed" })
  }
}
