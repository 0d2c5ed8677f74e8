import * as Effect from "effect/Effect"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { CommandReporter } from "../actors/actorObserver.ts"
import { CurrentWritesInProgress } from "../../store/writeObserver.ts"
import { runInformer } from "../workers/informer.ts"
import { makeMailbox } from "../workers/mailbox.ts"
import { noSnapshotParts } from "../snapshotParts.ts"
import { makeBackOffs } from "./backOffs.ts"
import { makeDelayedWakes } from "./delayedWakes.ts"
import { makeKeyedActors } from "./keyedActors.ts"
import { makeCommandRunner } from "./commandRunner.ts"
import { makeTurnRecovery } from "./turnRecovery.ts"
import { makeReconcileKey } from "./reconcileKey.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { CommandRefused, Controller, ReconcilerServices, WakeOptions } from "./controller.ts"
import type { BackOffsState } from "./backOffs.ts"
import type { KeyedActorsState } from "./keyedActors.ts"

interface ReconcilerState {
  readonly actors: KeyedActorsState
  readonly failures: BackOffsState
}

/** Several keys are handled at a time only where writes wait for a network. */
const workersCount = 5

/**
 * R1: one worker at a time handles the actor of a key. R2: commands are performed in the order they were
 * emitted; after a refused command the others are dropped. R3: a refused key is retried with back-off; after
 * `retriesMax` retries it waits for a change.
 */
export const reconcile = <R extends GroupResource>(
  controller: Controller<R>,
  services: ReconcilerServices
): Effect.Effect<void, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, view, actors, snapshotParts = noSnapshotParts } = services
    const { resource } = controller
    const mailbox = yield* makeMailbox({ kernel, turnOrder: controller.turnOrder, snapshotParts })
    const wake = (key: Key, options?: WakeOptions): boolean => {
      if (options?.tag !== undefined && !keyedActors.hasTag(key, options.tag)) return false
      if (options?.onlyIfRetrying === true && !backOffs.isFailing(key)) return false
      if (options?.isNeeded?.() === false) return false
      keyedActors.markStale(key)
      if (options?.isBatched === true && delayedWakes !== undefined) delayedWakes.add(key)
      else mailbox.offer(key, options)
      return true
    }
    const { batchMillis, retriesMax, retryDelayMillis: delayMillis } = controller
    const backOffs = yield* makeBackOffs({
      kernel,
      snapshotParts,
      retriesMax,
      delayMillis,
      wake: (key) => wake(key)
    })
    const delayedWakes =
      batchMillis === undefined
        ? undefined
        : yield* makeDelayedWakes({
            kernel,
            snapshotParts,
            turnOrder: controller.turnOrder,
            delayMillis: batchMillis,
            offer: mailbox.offer,
            isStale: (key) => keyedActors.isStale(key)
          })
    const keyedActors = makeKeyedActors({
      controller,
      actors,
      snapshotParts,
      onCommands: (key) => mailbox.offer(key)
    })
    snapshotParts.registerPart<ReconcilerState>("actors", {
      save: () => ({ actors: keyedActors.save(), failures: backOffs.save() }),
      restore: (state) => {
        keyedActors.restore(state.actors)
        backOffs.restore(state.failures)
      }
    })
    const commandRunner = makeCommandRunner(controller, services, wake)
    const parts = { keyedActors, commandRunner, backOffs }
    const reconcileKey = makeReconcileKey(controller, services, parts)
    const recover = makeTurnRecovery(controller, services, parts)
    const reconcileOrDie = (
      key: Key,
      commandReporter: CommandReporter
    ): Effect.Effect<void, CommandRefused> | undefined => {
      try {
        return reconcileKey(key, commandReporter)
      } catch (defect) {
        return Effect.die(defect)
      }
    }
    const handleKey = (key: Key, commandReporter: CommandReporter): Effect.Effect<void> | undefined => {
      const performing = reconcileOrDie(key, commandReporter)
      if (performing === undefined) return undefined
      return Effect.matchCauseEffect(performing, {
        onSuccess: () => {
          commandRunner.finish(key)
          return Effect.void
        },
        onFailure: (cause) => {
          commandReporter.end()
          commandRunner.finish(key)
          mailbox.noteFailure()
          return recover(key, cause, commandReporter)
        }
      })
    }

    yield* Effect.addFinalizer(() => Effect.sync(keyedActors.discardAll))
    for (let worker = 0; worker < workersCount; worker += 1) {
      const commandReporter = new CommandReporter()
      const work = mailbox.work((key) => handleKey(key, commandReporter))
      yield* work.pipe(
        Effect.provideService(CurrentWritesInProgress, commandReporter),
        Effect.ensuring(Effect.sync(() => commandReporter.end())),
        Effect.forkScoped
      )
    }
    const { needsNoLook } = controller
    /** A change of an object while its own actor's commands are performed counts as one of their writes. */
    const isOwnWrite = ({ resource: changed, object }: Change): boolean =>
      changed === resource && commandRunner.isRunning(objectKeyOf(object))
    const onChange = (change: Change): void => {
      if (needsNoLook !== undefined && isOwnWrite(change) && needsNoLook(change)) return
      const { observer } = actors
      if (observer === undefined) return controller.wakeActors(change, wake)
      controller.wakeActors(change, (key, options) => {
        if (wake(key, options)) observer.actorWoken(controller.machine().id, key, change)
      })
    }
    yield* runInformer({ view, snapshotParts }, onChange, { resources: controller.watches })
    controller.giveWakeToFaults?.(wake)
    if (snapshotParts.isRestored) return
    for (const object of view.all(resource)) {
      wake(objectKeyOf(object))
    }
  })
