import { TaggedError } from "effect/Data"
import { actorKindList } from "../../../machines/actorKinds.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInSteering } from "../../../machines/steering/steeringStrategies.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { containerMachine } from "../../../machines/container.ts"
import { nodeMachine } from "../../../machines/node.ts"
import { podMachine } from "../../../machines/pod.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { daemonSetMachine } from "../../../machines/daemonSet.ts"
import { horizontalPodAutoscalerMachine } from "../../../machines/horizontalPodAutoscaler.ts"
import { cronJobMachine } from "../../../machines/cronJob.ts"
import { jobMachine } from "../../../machines/job.ts"
import { steeringMachine } from "../../../machines/steering.ts"
import { statefulSetMachine } from "../../../machines/statefulSet.ts"
import { steeringProblems, strategyProblems } from "../../../machines/strategies/strategyProblems.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { chartJson } from "./chartJson.ts"
import { chartTree } from "./chartTree.ts"
import { loadElk } from "./loadElk.ts"
import { mermaidOfState } from "./mermaid.ts"
import { scxmlOf } from "./scxml.ts"
import { svgOf } from "./svg.ts"
import type { AnyStateMachine, AnyStateNode } from "xstate"
import type { ActorChart } from "../../../machines/actorKinds.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

export interface Chart {
  /** `deployment`; for a strategy's chart, its state in the chart of Deployments or of their steering. */
  readonly name: string
  readonly about: string
  readonly root: AnyStateNode
}

export const chartFormats = ["json", "mermaid", "svg", "scxml"] as const
export type ChartFormat = (typeof chartFormats)[number]

/** All charts, with these strategies and steering charts in place of the built-in ones. */
export const chartsOf = (
  strategies: ReadonlyArray<Strategy> = builtInStrategies,
  steering: ReadonlyArray<SteeringStrategy> = builtInSteering
): ReadonlyArray<Chart> => {
  const machines: Readonly<Record<ActorChart, AnyStateMachine>> = {
    deployment: deploymentMachine(strategies),
    steering: steeringMachine(steering),
    replicaSet: replicaSetMachine,
    statefulSet: statefulSetMachine,
    daemonSet: daemonSetMachine,
    job: jobMachine,
    cronJob: cronJobMachine,
    horizontalPodAutoscaler: horizontalPodAutoscalerMachine,
    pod: podMachine,
    container: containerMachine,
    node: nodeMachine
  }
  return actorKindList.flatMap(({ chart, about }): ReadonlyArray<Chart> => {
    const { root } = machines[chart]
    const chartOfKind = { name: chart, about, root }
    if (chart === "deployment") return [chartOfKind, ...strategyCharts(strategies, root)]
    return chart === "steering" ? [chartOfKind, ...steeringCharts(steering, root)] : [chartOfKind]
  })
}

/** Built-in steering charts are only drawn within `steering`, so that a user's chart may have the name of one. */
const steeringCharts = (
  strategies: ReadonlyArray<SteeringStrategy>,
  steering: AnyStateNode
): ReadonlyArray<Chart> =>
  strategies.flatMap((strategy) => {
    const root = steering.states[strategy.state]
    if (root === undefined || builtInSteering.includes(strategy)) return []
    return [{ name: strategy.state, about: `The steering chart ${strategy.state}`, root }]
  })

const strategyCharts = (
  strategies: ReadonlyArray<Strategy>,
  deployment: AnyStateNode
): ReadonlyArray<Chart> =>
  strategies.flatMap(({ type, state, chart }) => {
    const root = strategyNode(deployment, state)
    const description = chart.description === undefined ? "" : `: ${chart.description.replace(/\.$/, "")}`
    return root === undefined ? [] : [{ name: state, about: `The strategy ${type}${description}`, root }]
  })

const strategyNode = (deployment: AnyStateNode, state: string): AnyStateNode | undefined =>
  deployment.states["rollout"]?.states[state]

type Drawable = AnyStateMachine | Strategy | SteeringStrategy | Chart

/** `message` tells how to enable SVG. */
export class CannotDraw extends TaggedError("CannotDraw")<{ readonly message: string }> {}

/**
 * Exports a chart as JSON, Mermaid, SCXML or SVG. SVG needs the package `elkjs`; without it the promise rejects with
 * `CannotDraw`.
 */
export function chartOf(chart: Drawable, format: "svg"): Promise<string>
export function chartOf(chart: Drawable, format: Exclude<ChartFormat, "svg">): string
export function chartOf(chart: Drawable, format: ChartFormat): string | Promise<string> {
  if (!chartFormats.includes(format)) {
    throw new TypeError(`a chart is exported as ${chartFormats.join(", ")}, not ${JSON.stringify(format)}`)
  }
  if (format === "svg") return drawSvg(chart)
  const root = rootOf(chart)
  if (format === "json") return `${JSON.stringify(chartJson(root), undefined, 2)}\n`
  if (format === "mermaid") return `${mermaidOfState(root)}\n`
  return scxmlOf(chartTree(root))
}

const drawSvg = async (chart: Drawable): Promise<string> => {
  const root = rootOf(chart)
  const engine = await loadElk()
  if (engine !== undefined) return svgOf(chartTree(root), engine)
  throw new CannotDraw({
    message: "drawing a chart as SVG needs the package elkjs: npm install --save-dev elkjs"
  })
}

const rootOf = (chart: Drawable): AnyStateNode => {
  const given: unknown = chart
  if (!isFields(given)) {
    throw new TypeError(
      `chartOf takes a machine, a strategy, a steering chart or one of chartsOf(), not ${JSON.stringify(given)}`
    )
  }
  if ("root" in chart) return chart.root
  if (!("type" in chart)) return steeringRootOf(chart)
  const [problem] = strategyProblems([chart])
  const root = problem === undefined ? strategyNode(deploymentMachine([chart]).root, chart.state) : undefined
  if (root === undefined) throw new RangeError(problem ?? `${chart.type} has no chart`)
  return root
}

const steeringRootOf = (chart: SteeringStrategy): AnyStateNode => {
  const [problem] = steeringProblems([chart])
  const root = problem === undefined ? steeringMachine([chart]).root.states[chart.state] : undefined
  if (root === undefined) throw new RangeError(problem ?? `${chart.state} has no chart`)
  return root
}
