import { markPath } from "../drawing/marks.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { failureTitle } from "../scenario/stories/failureTitle.ts"
import { layOutBars } from "../drawing/bars.ts"
import { assignLanes } from "../drawing/assignLanes.ts"
import { markup } from "./markup.ts"
import { legend, podAreas, podAreaTexts } from "./legend.ts"
import { drawingWidth, plotMarkup, timeAxisRange } from "./plot.ts"
import { timeScale } from "../drawing/timeScale.ts"
import { roundToTenth } from "../drawing/roundToTenth.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PodPlot } from "./plot.ts"
import type { TimeScale } from "../drawing/timeScale.ts"
import type {
  DeploymentRun,
  EventLine,
  FaultRun,
  ServiceRun,
  StoryRun
} from "../scenario/stories/storyRun.ts"
import type { LegendTexts } from "./legend.ts"

export const storyTimeScale = (run: StoryRun): TimeScale =>
  timeScale({ endMillis: run.endMillis, moments: momentsOf(run), range: timeAxisRange })

const momentsOf = function* ({ steps, faults, deployments, services, events, failures }: StoryRun) {
  for (const { beganMillis, endedMillis } of [...steps, ...faults]) {
    if (beganMillis !== undefined) yield beganMillis
    if (endedMillis !== undefined) yield endedMillis
  }
  for (const { rows } of [...deployments, ...services]) for (const { atMillis } of rows) yield atMillis
  for (const { atMillis } of events) yield atMillis
  for (const failure of failures) yield timeOfFailure(failure)
}

const timeOfFailure = (failure: StoryRun["failures"][number]): number =>
  failure.type === "violation" ? failure.violation.atMillis : failure.atMillis

const plotHeight = 200

export const deploymentTimeline = (
  run: StoryRun,
  deployment: DeploymentRun,
  scale: TimeScale
): HtmlMarkup => {
  const { namespace, name, rows, podsMax, availableMin } = deployment
  return timelineDrawing(run, scale, {
    label: `Pods of Deployment ${namespace}/${name} over time`,
    height: plotHeight,
    events: run.events.filter((event) => event.deployment === toObjectKey(namespace, name)),
    plot: {
      points: rows.map((row) => ({ ...row, old: row.existing - row.updated })),
      areas: podAreas,
      lines: [
        { className: "desired", valueOf: ({ desired = 0 }) => desired },
        { className: "available", valueOf: ({ available = 0 }) => available }
      ],
      levels: [
        ...(podsMax === undefined ? [] : [{ className: "ceiling", title: "promised", value: podsMax }]),
        ...(availableMin === undefined
          ? []
          : [{ className: "floor", title: "promised", value: availableMin }])
      ]
    },
    legendTexts: {
      ...podAreaTexts,
      desired: "desired",
      floor: availableMin === undefined ? undefined : `promised: ${availableMin} available at the fewest`,
      ceiling: podsMax === undefined ? undefined : `promised: ${podsMax} Pods at the most`
    }
  })
}

export const serviceTimeline = (run: StoryRun, service: ServiceRun, scale: TimeScale): HtmlMarkup =>
  timelineDrawing(run, scale, {
    label: `Endpoints of Service ${service.namespace}/${service.name} over time`,
    height: plotHeight / 2,
    events: [],
    plot: {
      points: service.rows,
      areas: [],
      lines: [
        { className: "endpoints", valueOf: ({ known = 0 }) => known },
        { className: "answering", valueOf: ({ ready = 0 }) => ready }
      ],
      levels: []
    },
    legendTexts: { answering: "endpoints that are ready", endpoints: "endpoints that clients still know" }
  })

interface TimelineDrawing {
  readonly label: string
  readonly height: number
  readonly events: ReadonlyArray<EventLine>
  readonly plot: Pick<PodPlot, "points" | "areas" | "lines" | "levels">
  readonly legendTexts: LegendTexts
}

// Lengths are in units of the view box.
const laneHeight = 20

const timelineDrawing = (
  run: StoryRun,
  scale: TimeScale,
  { label, height, events, plot, legendTexts }: TimelineDrawing
): HtmlMarkup => {
  const { steps, faults, failures } = run
  const marks = stepMarks(run, scale)
  const stepsHeight = (Math.max(-1, ...marks.map(({ lane }) => lane)) + 1) * laneHeight
  const { bars, laneCount, hiddenCount } = faultBars(faults, scale, stepsHeight)
  const top = stepsHeight + laneCount * laneHeight + 8
  const bottom = top + height
  const wholeHeight = bottom + 24 + (events.length > 0 ? 20 : 0)
  const hasWarnings = events.some(({ type }) => type === "Warning")
  const notes = [
    ...(steps.length === 0 ? [] : ["Circles are steps, by their numbers below."]),
    ...(hiddenCount === 0
      ? []
      : [`${hiddenCount} more faults have no room here and are only in the table below.`])
  ]
  return markup`<figure>
<div class="wide"><svg viewBox="0 0 ${drawingWidth} ${wholeHeight}" role="img" aria-label="${label}"><title>${label}</title>
${faultSpans(faults, scale).map(
  ({ x, width }) => markup`<rect class="band" x="${x}" y="${top}" width="${width}" height="${height}"/>`
)}
${plotMarkup({ ...plot, scale, top, height })}
${bars}
${marks.map(({ x, lane, number, text, className }) => {
  const y = lane * laneHeight + laneHeight / 2
  return markup`<g class="mark ${className}"><line x1="${x}" x2="${x}" y1="${y}" y2="${bottom}"/>
<circle cx="${x}" cy="${y}" r="8.5"><title>${number}: ${text}</title></circle>
<text x="${x}" y="${y + 4}" text-anchor="middle">${number}</text></g>`
})}
${failures.map((failure) => {
  const x = roundToTenth(scale.x(timeOfFailure(failure)))
  return markup`<line class="broken" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"><title>${failureTitle(failure)}</title></line>`
})}
${eventMarks(events, scale, bottom + 32)}
</svg></div>
${legend({
  ...legendTexts,
  fault: faults.length === 0 ? undefined : "a fault",
  broken: failures.length === 0 ? undefined : "what failed",
  "event-Warning": hasWarnings ? "a warning" : undefined
})}
${notes.length === 0 ? undefined : markup`<p class="lead">${notes.join(" ")}</p>`}
</figure>`
}

const stepMarks = ({ steps }: StoryRun, scale: TimeScale) => {
  const startedSteps = steps.flatMap(({ number, text, beganMillis, outcome }) =>
    beganMillis === undefined
      ? []
      : [
          {
            number,
            text,
            x: roundToTenth(scale.x(beganMillis)),
            className: outcome === "failed" ? "failed" : ""
          }
        ]
  )
  // A step's circle has a radius of 8.5.
  return assignLanes(startedSteps, ({ x }) => [x - 9, x + 10]).map(({ item, lane }) => ({ ...item, lane }))
}

const faultBars = (faults: ReadonlyArray<FaultRun>, scale: TimeScale, top: number) => {
  const numberedFaults = faults.map(({ text, ...fault }, index) => ({
    ...fault,
    text: `F${index + 1} ${text}`
  }))
  // `letterWidth` is about that of 12px, as in reportStyles.ts.
  const space = { scale, xRange: timeAxisRange, lanesMax: 8, lettersMax: 63, letterWidth: 6.3 }
  const { bars, laneCount, hiddenCount } = layOutBars(numberedFaults, space)
  const barsMarkup = bars.map(({ span, lane, x, width, text, textX, isEndAnchored }) => {
    const y = top + lane * laneHeight
    const untilText = span.endedMillis === undefined ? "the end" : formatDuration(span.endedMillis)
    const title = `${span.text}, ${formatDuration(span.beganMillis)} to ${untilText}`
    return markup`<g><title>${title}</title><rect class="fault" x="${roundToTenth(x)}" y="${y + 15}" width="${roundToTenth(width)}" height="4"/>
<text class="fault-text" x="${roundToTenth(textX)}" y="${y + 12}" text-anchor="${isEndAnchored ? "end" : "start"}">${text}</text></g>`
  })
  return { bars: barsMarkup, laneCount, hiddenCount }
}

const faultSpans = (faults: ReadonlyArray<FaultRun>, scale: TimeScale) => {
  const spans: Array<{ readonly x: number; width: number }> = []
  for (const { beganMillis, endedMillis } of faults.toSorted((a, b) => a.beganMillis - b.beganMillis)) {
    const x = roundToTenth(scale.x(beganMillis))
    const end = Math.max(x + 2, roundToTenth(scale.x(endedMillis ?? scale.endMillis)))
    const last = spans.at(-1)
    if (last === undefined || x > last.x + last.width) spans.push({ x, width: roundToTenth(end - x) })
    else last.width = roundToTenth(Math.max(last.width, end - last.x))
  }
  return spans
}

const eventMarks = (
  events: ReadonlyArray<EventLine>,
  scale: TimeScale,
  y: number
): ReadonlyArray<HtmlMarkup> => {
  const marks = new Map<string, { readonly x: number; readonly type: string; texts: Array<string> }>()
  for (const { atMillis, type, reason, object } of events) {
    const x = Math.round(scale.x(atMillis))
    const mark = marks.get(`${type} ${x}`) ?? {
      x,
      type: type === "Warning" ? "Warning" : "Normal",
      texts: []
    }
    mark.texts.push(`${reason} ${object}`)
    marks.set(`${type} ${x}`, mark)
  }
  return [...marks.values()].map(({ x, type, texts }) => {
    const path = type === "Warning" ? markPath("triangle", warningArea) : markPath("circle", normalArea)
    const more = texts.length > textsMax ? [`and ${texts.length - textsMax} more`] : []
    return markup`<path class="event-${type}" transform="translate(${x},${y})" d="${path}"><title>${[
      ...texts.slice(0, textsMax),
      ...more
    ].join("\n")}</title></path>`
  })
}

const textsMax = 8
const [warningArea, normalArea] = [50, 14]
