import { evaluateGuard } from "xstate/guards"
import { guardNameOf, leavesOf, pathOf } from "./paths.ts"
import { reasonFor } from "./reasons/reason.ts"
import type { AnyEventObject, AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { AskedGuard } from "./step.ts"
import type { Microstep } from "./recorded.ts"

/**
 * The guards that were asked in one round of transitions, up to the one that held in each place. XState tells only
 * which transitions it took; the guards are pure, so that asking them again gives the same answers.
 */
export const guardsAsked = (
  before: AnyMachineSnapshot,
  { event, _transitions: transitions }: Microstep
): ReadonlyArray<AskedGuard> => {
  const moment: Moment = { before, event, asked: [] }
  const isAtOnce = transitions.some(({ eventType }) => eventType === "")
  if (isAtOnce) for (const node of leavesOf(before)) askUpwards(moment, node, new Set())
  else askDownwards(moment, before.machine.root)
  return moment.asked
}

interface Moment {
  readonly before: AnyMachineSnapshot
  readonly event: AnyEventObject
  readonly asked: Array<AskedGuard>
}

/** Transitions that wait for nothing: those of the innermost state first. */
const askUpwards = (moment: Moment, leaf: AnyStateNode, done: Set<AnyStateNode>): void => {
  for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) {
    if (done.has(node)) return
    done.add(node)
    if (ask(moment, node, node.always ?? [])) return
  }
}

/** An event is for the innermost states first, and for one around them where none of them does anything about it. */
const askDownwards = (moment: Moment, node: AnyStateNode): boolean => {
  const inside = Object.values(node.states).filter((it) => moment.before._nodes.includes(it))
  const taken = inside.map((it) => askDownwards(moment, it))
  return taken.includes(true) || ask(moment, node, node.transitions.get(moment.event.type) ?? [])
}

/** Whether one of these is taken; says of each guard on the way whether it holds. */
const ask = (
  { before, event, asked }: Moment,
  node: AnyStateNode,
  candidates: ReadonlyArray<AnyTransitionDefinition>
): boolean => {
  for (const { guard } of candidates) {
    if (guard === undefined) return true
    const holds = evaluateGuard(guard, before.context, event, before)
    const text = reasonFor({ guard, chart: node.machine.id, context: before.context, event })
    asked.push({ state: pathOf(node), name: guardNameOf(guard) ?? "", holds, text })
    if (holds) return true
  }
  return false
}
