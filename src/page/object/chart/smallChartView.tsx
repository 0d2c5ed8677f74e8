import { decisiveGuards } from "../../../explain/steps/step.ts"
import { foldChart } from "./foldChart.ts"
import { guardMeaning } from "../guardMeaning.ts"
import { memo } from "preact/compat"
import { useDrawing } from "./useDrawing.ts"
import { useMemo } from "preact/hooks"
import type { ChartHighlight } from "./foldChart.ts"
import type { DrawnArrow, DrawnState, FoldedState } from "./foldChart.ts"
import type { Step, StepTransition } from "../../../explain/steps/step.ts"

interface SmallChartProps {
  readonly highlight: ChartHighlight
  readonly step: Step | undefined
}

export const SmallChartView = memo(({ highlight, step }: SmallChartProps) => {
  const { svg } = useDrawing(highlight.chart)
  const drawn = useMemo(() => (svg === undefined ? undefined : readDrawing(svg)), [svg])
  if (drawn === undefined || highlight.states.length === 0) return null
  const { states } = foldChart(drawn.root, drawn.arrows, highlight)
  return (
    <section class="small" aria-label={`The active states of ${highlight.chart}`} data-testid="small-chart">
      <ul class="regions">
        {states.map((state) => (
          <li key={state.id}>
            <SmallState state={state} />
          </li>
        ))}
      </ul>
      {step !== undefined && <TakenTransitions step={step} />}
    </section>
  )
})

const SmallState = ({ state }: { readonly state: FoldedState }) => {
  const { id, key, role, states, foldedCount } = state
  return (
    <span class={states.length === 0 ? "leaf" : "group"} data-role={role} title={`${id}${roleTexts[role]}`}>
      <span class="key">{key}</span>
      {states.map((it) => (
        <SmallState key={it.id} state={it} />
      ))}
      {foldedCount > 0 && <span class="quiet">+{foldedCount}</span>}
    </span>
  )
}

const roleTexts: Readonly<Record<FoldedState["role"], string>> = {
  active: ", active",
  left: ", left by the last step",
  next: ", may come next",
  other: ""
}

export const TakenTransitions = ({ step }: { readonly step: Step }) => {
  // A transition without a guard to an inner state only makes the actor look again.
  const moves = step.taken.filter(
    ({ source, target, guard }) =>
      target !== undefined &&
      target !== source &&
      (guard !== undefined || !(source === "" || target.startsWith(`${source}.`)))
  )
  if (moves.length === 0) return null
  return (
    <ul class="taken-transitions" aria-label="The transitions just taken">
      {moves.map((move, index) => (
        <li key={`${index} ${move.source} ${move.target ?? ""}`}>
          <code>{moveText(move)}</code> <GuardResult step={step} move={move} />
        </li>
      ))}
    </ul>
  )
}

/** `rollingUpdate.deciding → scalingUp`. */
const moveText = ({ source, target = "" }: StepTransition): string => {
  const [from, to] = [source.split("."), target.split(".")]
  let shared = 0
  while (shared < to.length - 1 && from[shared] === to[shared]) shared += 1
  return `${source === "" ? "anywhere" : source} → ${to.slice(shared).join(".")}`
}

const GuardResult = ({ step, move }: { readonly step: Step; readonly move: StepTransition }) => {
  const { guard: name, source } = move
  if (name === undefined) return null
  const guards = decisiveGuards(step).filter((it) => it.holds && it.name === name)
  const guard = guards.find(({ state }) => state === source) ?? guards[0]
  return (
    <span>
      <b title={name}>{guardMeaning(step.chart, name)}</b> {guard?.text}
    </span>
  )
}

const readDrawing = (
  svg: SVGSVGElement
): { readonly root: DrawnState; readonly arrows: ReadonlyArray<DrawnArrow> } | undefined => {
  const [root] = statesOf(svg)
  if (root === undefined) return undefined
  const arrows = [...svg.querySelectorAll("[data-transition]")].map((arrow) => ({
    source: arrow.getAttribute("data-source") ?? "",
    target: arrow.getAttribute("data-target") ?? ""
  }))
  return { root, arrows }
}

const statesOf = (element: Element): ReadonlyArray<DrawnState> =>
  [...element.children].flatMap((child) => {
    const id = child.getAttribute("data-state")
    return id === null ? [] : [{ id, states: statesOf(child) }]
  })
