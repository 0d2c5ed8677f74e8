import { createActor } from "xstate"
import { compile } from "../../src/compiler/compile.ts"
import { makeClock } from "../machines/chartActor.ts"
import { beginMillis } from "../machines/workloadObservations.ts"
import type {
  Actor,
  AnyActorLogic,
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyTransitionDefinition,
  InspectionEvent,
  Snapshot
} from "xstate"
import type { ChartObserver } from "../../src/compiler/observedMacrostep.ts"
import type { ObservedSnapshot } from "../../src/compiler/snapshot.ts"

/** What a test does with an actor. */
export type ActorStep =
  | { readonly send: AnyEventObject }
  /** Milliseconds that pass. */
  | { readonly wait: number }
  /** Persists the actor, stops it, and creates another one from what was persisted. */
  | { readonly restore: "as it is" | "from JSON" }

export interface SideBySide {
  readonly take: (step: ActorStep) => void
  readonly stop: () => void
  /** What the actor did in the last step, line by line; the same in both. */
  readonly lines: () => ReadonlyArray<string>
  /** The events that the actor emitted in the last step. */
  readonly emitted: () => ReadonlyArray<AnyEventObject>
  readonly snapshot: () => AnyMachineSnapshot
  readonly nowMillis: () => number
}

export interface SideBySideOptions {
  readonly input?: unknown
  /** A persisted snapshot from which the actors begin. */
  readonly snapshot?: object
  /** Events of which every snapshot must say in both whether it can take them. */
  readonly possibleEvents?: ReadonlyArray<AnyEventObject>
}

/**
 * The actor of a machine that XState interprets, and the one of the compiled machine beside it. Both take every step,
 * and an error is thrown where anything that they do or are differs.
 */
export const startSideBySide = (machine: AnyStateMachine, options: SideBySideOptions = {}): SideBySide => {
  const interpreted = startRecorded(machine, undefined, options)
  const observer: ChartObserver = { onMacrostep: undefined }
  const compiled = startRecorded(compile(machine, observer), observer, options)
  let last: ReadonlyArray<string> = []
  const compare = (what: string): void => {
    last = interpreted.takeLines()
    const lines = compiled.takeLines()
    for (let index = 0; index < Math.max(last.length, lines.length); index += 1) {
      if (last[index] === lines[index]) continue
      throw new Error(
        `${what}: line ${index} differs\nbefore:      ${last[index - 1]}\ninterpreted: ${last[index]}\ncompiled:    ${lines[index]}`
      )
    }
  }
  compare("start")
  return {
    take: (step) => {
      interpreted.take(step)
      compiled.take(step)
      compare(textOf(step))
    },
    stop: () => {
      interpreted.stop()
      compiled.stop()
      compare("stop")
    },
    lines: () => last,
    emitted: interpreted.emitted,
    snapshot: interpreted.snapshot,
    nowMillis: interpreted.nowMillis
  }
}

/** Where custom actions of a chart under test write what they saw: the lines of the actor that is running. */
export const note = (...values: ReadonlyArray<unknown>): void => {
  notes?.(["noted", ...values])
}
let notes: ((values: ReadonlyArray<unknown>) => void) | undefined

/** Whether a chart under test may send one more event to another one in this step: two could go on for ever. */
export const maySend = (): boolean => {
  allowedSends -= 1
  return allowedSends > 0
}
let allowedSends = 0

const sendsMax = 12

/** By the numbers in the ids that XState gives: as texts, `x:1000` would come before `x:999`. */
const oldestFirst = new Intl.Collator("en", { numeric: true }).compare

/** The timers of one step that are let run: charts could set one another's for ever. */
const timersMax = 40

interface RecordedActor {
  readonly take: (step: ActorStep) => void
  readonly stop: () => void
  readonly takeLines: () => ReadonlyArray<string>
  readonly emitted: () => ReadonlyArray<AnyEventObject>
  readonly snapshot: () => AnyMachineSnapshot
  readonly nowMillis: () => number
}

const startRecorded = (
  logic: AnyActorLogic,
  observer: ChartObserver | undefined,
  { input, snapshot: first, possibleEvents = [] }: SideBySideOptions
): RecordedActor => {
  let lines: Array<string> = []
  const sessions = new Map<string, number>()
  const sessionNumber = (id: string): string => {
    const number = sessions.get(id) ?? sessions.size
    sessions.set(id, number)
    return `session ${number}`
  }
  const add = (values: ReadonlyArray<unknown>): void =>
    void lines.push(textOf(values).replaceAll(/x:\d+/g, sessionNumber))
  const seen = new Map<unknown, string>()
  /** A snapshot is described once. Afterwards its number tells that it is the same object. */
  const once = (snapshot: unknown): unknown => {
    if (typeof snapshot !== "object" || snapshot === null) return snapshot
    const name = seen.get(snapshot)
    if (name !== undefined) return name
    seen.set(snapshot, `snapshot ${seen.size}`)
    return "value" in snapshot ? describe(snapshot as AnyMachineSnapshot, once) : snapshot
  }
  const clock = makeClock(beginMillis)
  let allowedTimers = timersMax
  const actorClock = {
    setTimeout: (run: () => void, millis: number) => {
      add(["timer", millis])
      return clock.setTimeout(() => {
        allowedTimers -= 1
        if (allowedTimers > 0) run()
      }, millis) as unknown as number
    },
    clearTimeout: (timer: number) => {
      add(["timer cleared"])
      clock.clearTimeout(timer as unknown as Parameters<typeof clock.clearTimeout>[0])
    }
  }
  /** By actor: an observer gets those of an actor that ends before the parent's, and XState's inspection after. */
  const macrosteps = new Map<string, Array<ReadonlyArray<unknown>>>()
  const addMacrostep = (actor: AnyActorRef, event: AnyEventObject, microsteps: Microsteps): void => {
    if (microsteps.length === 0) return
    const ofActor = macrosteps.get(actor.id) ?? []
    macrosteps.set(actor.id, ofActor)
    ofActor.push(["macrostep", actor.id, event, microsteps])
  }
  const microstepsOf = new Map<AnyActorRef, Microsteps>()
  if (observer !== undefined) {
    observer.onMacrostep = ({ actor, event, before, microsteps }) => {
      const [first] = microsteps
      const beginning =
        first === undefined ? [] : [["before", before === undefined ? before : partsOf(before)]]
      addMacrostep(actor, event, [
        ...beginning,
        ...microsteps.map((it) => [it.event, it.transitions.map(nameOf), partsOf(it.snapshot)])
      ])
    }
  }
  const addMicrostep = (
    actor: AnyActorRef,
    event: AnyEventObject,
    transitions: ReadonlyArray<AnyTransitionDefinition>,
    snapshot: AnyMachineSnapshot
  ): void => {
    const microsteps = microstepsOf.get(actor) ?? [["before", partsBefore(actor)]]
    microstepsOf.set(actor, [...microsteps, [event, transitions.map(nameOf), partsOf(snapshot)]])
  }
  const inspect = (happening: InspectionEvent): void => {
    const actor = happening.actorRef as AnyActorRef
    if (happening.type === "@xstate.microstep") {
      const { event, _transitions: transitions, snapshot } = happening
      addMicrostep(actor, event, transitions, snapshot as unknown as AnyMachineSnapshot)
    } else if (happening.type === "@xstate.action") {
      const { type, params } = happening.action
      // The compiled chart carries built-in actions out itself.
      if (!type.startsWith("xstate.")) add(["action", actor.id, type, params])
    } else if (happening.type === "@xstate.event") add(["event", actor.id, happening.event])
    else if (happening.type === "@xstate.snapshot") {
      add(["snapshot", actor.id, happening.event, once(happening.snapshot)])
      addMacrostep(actor, happening.event, microstepsOf.get(actor) ?? [])
      microstepsOf.delete(actor)
    } else add(["actor", actor.id])
  }
  const running = (run: () => void): void => {
    notes = add
    emitted = []
    allowedTimers = timersMax
    allowedSends = sendsMax
    try {
      run()
    } finally {
      notes = undefined
    }
    const snapshot = actor?.getSnapshot() as AnyMachineSnapshot | undefined
    add(["now", once(snapshot)])
    if (snapshot !== undefined && "can" in snapshot)
      add(["can", possibleEvents.map((event) => resultOf(() => snapshot.can(event)))])
    add(["persisted", actor === undefined ? undefined : resultOf(() => actor?.getPersistedSnapshot())])
    const scheduled = Object.values(actor?.system.getSnapshot()._scheduledEvents ?? {})
    add([
      "scheduled",
      scheduled.map((it) => [it.source.id, it.target.id, timerName(it.id), it.delay, it.event])
    ])
  }
  let emitted: Array<AnyEventObject> = []
  let actor: Actor<AnyActorLogic> | undefined
  const start = (options: object): void => {
    const logger = (...values: ReadonlyArray<unknown>): void => add(["logged", ...values])
    actor = createActor(logic, { clock: actorClock, inspect, logger, id: "root", ...options })
    actor.on("*", (event) => {
      emitted.push(event)
      add(["emitted", event])
    })
    actor.subscribe({
      next: (snapshot) => add(["next", once(snapshot)]),
      error: (error) => add(["failed", error]),
      complete: () => add(["complete"])
    })
    actor.start()
  }
  const restore = (how: "as it is" | "from JSON"): void => {
    const persisted = resultOf(() => actor?.getPersistedSnapshot()) as Snapshot<unknown>
    if (persisted instanceof Error) return
    actor?.stop()
    start({ snapshot: how === "as it is" ? persisted : (JSON.parse(JSON.stringify(persisted)) as unknown) })
  }
  running(() => start({ input, snapshot: first }))
  return {
    take: (step) =>
      running(() => {
        if ("send" in step) actor?.send(step.send)
        else if ("wait" in step) clock.advance(step.wait)
        else restore(step.restore)
      }),
    stop: () => running(() => actor?.stop()),
    takeLines: () => {
      for (const id of [...macrosteps.keys()].sort(oldestFirst)) macrosteps.get(id)?.forEach(add)
      macrosteps.clear()
      const taken = lines
      lines = []
      return taken
    },
    emitted: () => emitted,
    snapshot: () => actor?.getSnapshot() as AnyMachineSnapshot,
    nowMillis: clock.nowMillis
  }
}

type Microsteps = ReadonlyArray<ReadonlyArray<unknown>>

/** Undefined for an actor that is being created. */
const partsBefore = (actor: AnyActorRef): unknown => {
  const present = resultOf(() => actor.getSnapshot()) as AnyMachineSnapshot | Error | undefined
  return present === undefined || present instanceof Error ? undefined : partsOf(present)
}

const partsOf = ({ value, context, status, tags, historyValue }: ObservedSnapshot | AnyMachineSnapshot) => {
  const history = historyValue as Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>>
  return [
    value,
    context,
    status,
    [...tags],
    Object.entries(history).map(([id, all]) => [id, all.map((it) => it.id)])
  ]
}

/** XState makes up a random id for a timer without one. */
const timerName = (id: string): string => (/^[0-9a-z]+$/.test(id) ? "random" : id)

const nameOf = ({ source, eventType, target, actions }: AnyTransitionDefinition): unknown => [
  source.id,
  eventType,
  target?.map(({ id }) => id),
  actions.length
]

/** Everything that can be read of a snapshot, and of those of its children. */
const describe = (snapshot: AnyMachineSnapshot, once: (snapshot: unknown) => unknown): unknown => {
  const { status, value, context, output, error, tags, children, historyValue, _nodes: nodes } = snapshot
  return {
    fields: Object.keys(snapshot),
    status,
    value,
    context: context as unknown,
    output: output as unknown,
    error,
    tags: [...tags],
    children: Object.entries(children as Readonly<Record<string, AnyActorRef | undefined>>).map(
      ([id, child]) => [id, once(child?.getSnapshot())]
    ),
    history: Object.entries(historyValue).map(([id, states]) => [id, states.map((state) => state.id)]),
    states: nodes.map(({ id }) => id),
    meta: snapshot.getMeta() as unknown,
    matches: [snapshot.matches(value), snapshot.matches("nowhere" as never), snapshot.hasTag("t1" as never)],
    json: Object.keys(snapshot.toJSON() as object)
  }
}

const resultOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

/** Text in which nothing is left out: keys in their order, undefined, errors with their messages, Maps. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (part === undefined) return "(undefined)"
    // Those of JavaScript itself name what each implementation reads first.
    if (part instanceof TypeError) return "(TypeError)"
    if (part instanceof Error) return `(${part.name}: ${part.message})`
    if (part instanceof Map) return [...(part as ReadonlyMap<unknown, unknown>)]
    if (typeof part === "number" && !Number.isFinite(part)) return `(${part})`
    return part
  })
