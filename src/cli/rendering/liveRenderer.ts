import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import * as Effect from "effect/Effect"
import { stageReportLines } from "./stageReports.ts"
import { drawTree } from "../tree/drawTree.ts"
import { cutMessage } from "../terminal/cutText.ts"
import { eventLine } from "../terminal/eventLines.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { makeErrorCatcher } from "../../runtime/observers.ts"
import { plainPalette } from "../terminal/palette.ts"
import { rolloutNewsLines, runSettingsLine } from "./renderers.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TerminalFrame } from "../terminal/terminalFrame.ts"
import type { RunRenderer, RendererContext } from "./renderers.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

interface Pace {
  readonly frameMillis: number
  /** Real time to read a file's report. */
  readonly pauseMillis: number
}

export const framePaces = {
  default: { frameMillis: 80, pauseMillis: 1500 },
  slow: { frameMillis: 250, pauseMillis: 3000 }
} as const satisfies Record<string, Pace>

/** Frames without a change before ages are redrawn. */
const framesBetweenRedraws = 12
const eventsShown = 5
/** The most lines of news that wait for a terminal whose output is not read. */
const newsLinesMax = 1000
const [rowsDefault, columnsDefault] = [24, 80]
/** A narrower tree would be unreadable. */
const columnsMin = 40

/** In virtual time a frame covers 50 ms plus a fiftieth of the wait so far, so that long waits do not take long. */
export const liveRenderer = (
  context: RendererContext & {
    readonly frame: TerminalFrame
    readonly isVirtual: boolean
    readonly pace: Pace
  }
): RunRenderer => {
  const { cluster, palette, print, frame, startMillis } = context
  const { frameMillis, pauseMillis } = context.pace
  let latestEvents: ReadonlyArray<ShownEvent> = []
  let hasChanged = true
  let title = ""
  let pageAddress = ""
  let pendingNewsLines: ReadonlyArray<string> = []
  let hasPrintedNews = false

  const width = (): number => Math.max(columnsMin, (frame.columns() ?? columnsDefault) - 1)
  const draw = makeErrorCatcher("the live tree")(() => {
    if (frame.isBehind()) return
    hasChanged = false
    if (pendingNewsLines.length > 0) {
      frame.printAbove(pendingNewsLines)
      hasPrintedNews = true
      pendingNewsLines = []
    }
    const nowMillis = cluster.nowMillis()
    const at = new Date(nowMillis).toISOString().slice(0, 19).replace("T", " ")
    const since = `${at}, ${preciseDurationText(nowMillis - startMillis)} since the start`
    // A cut address leads nowhere.
    const address = pageAddress === "" || pageAddress.length > width() ? [] : [palette.dim(pageAddress)]
    const headLines = [
      ...(hasPrintedNews ? [""] : []),
      palette.strong(title),
      palette.dim(since),
      ...address,
      ""
    ]
    const eventLines = latestEvents.map(({ object, atMillis }) =>
      shortEventLine(normalizeEvent(object), atMillis, width())
    )
    const footLines = ["", ...eventLines.map((line) => palette.dim(line))]
    // Below the tree are a blank line, the events and a row for the cursor.
    const rowsMax = (frame.rows() ?? rowsDefault) - headLines.length - eventsShown - 2
    const tree = drawTree({ view: cluster.view, nowMillis, palette, width: width(), rowsMax })
    frame.draw([...headLines, ...tree, ...footLines])
  })

  const advanceByFrames = Effect.fnUntraced(function* (isOver: () => boolean, limitMillis: number) {
    const beganMillis = cluster.nowMillis()
    const endMillis = beganMillis + limitMillis
    while (cluster.nowMillis() < endMillis && !isOver()) {
      const drawnMillis = cluster.nowMillis()
      const stepMillis = 50 + (drawnMillis - beganMillis) / 50
      const isDue = (): boolean => hasChanged && cluster.nowMillis() - drawnMillis >= stepMillis
      yield* cluster.until(() => isDue() || isOver(), endMillis - drawnMillis)
      draw()
      yield* Effect.sleep(frameMillis)
    }
    return isOver()
  })

  const drawForever = Effect.suspend(() => {
    let framesWithoutChange = 0
    const redraw = Effect.sync(() => {
      framesWithoutChange =
        hasChanged || framesWithoutChange >= framesBetweenRedraws ? 0 : framesWithoutChange + 1
      if (framesWithoutChange === 0) draw()
    })
    return Effect.forever(Effect.andThen(redraw, Effect.sleep(frameMillis)))
  })

  const drawWhileWaiting = (isOver: () => boolean, limitMillis: number): Effect.Effect<boolean> =>
    Effect.raceFirst(cluster.until(isOver, limitMillis), drawForever)

  return {
    begin: () => print(palette.dim(runSettingsLine(context.settings))),
    showPageAddress: (address) => {
      pageAddress = address
    },
    showTitle: (nextTitle) =>
      Effect.suspend(() => {
        const pauseAfterFormer = title === "" ? Effect.void : Effect.sleep(pauseMillis)
        title = nextTitle
        print("")
        return pauseAfterFormer
      }),
    onApplied: () => draw(),
    onChange: ({ type, resource, object }, atMillis) => {
      if (!resourcesShown.has(resource)) return
      hasChanged = true
      if (resource !== resources.events || type === "DELETED") return
      latestEvents = [...latestEvents, { object, atMillis }].slice(-eventsShown)
    },
    onRolloutNews: (news) => {
      hasChanged = true
      pendingNewsLines = [...pendingNewsLines, ...rolloutNewsLines(news, palette)].slice(-newsLinesMax)
    },
    onRolloutEnd: () => {},
    waitUntil: context.isVirtual ? advanceByFrames : drawWhileWaiting,
    showReport: (report) =>
      Effect.sync(() => {
        latestEvents = []
        draw()
        frame.done()
        // The first line is the title, which is in the frame.
        for (const line of stageReportLines(report, palette).slice(1)) print(line)
      }),
    end: () => {},
    renderForever: Effect.suspend(() => {
      title = "changes from now on"
      print("")
      return drawForever
    })
  }
}

/** Formatted only when a frame is drawn: until then, later events replace most of them. */
interface ShownEvent {
  readonly object: KubeObject
  readonly atMillis: number
}

/** Leases and the like need no new frame. */
const resourcesShown: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.events
])

const shortEventLine = (event: NormalizedEvent, atMillis: number, width: number): string => {
  const line = eventLine(event, atMillis, plainPalette)
  const start = eventLine({ ...event, message: "", count: 1 }, atMillis, plainPalette)
  return `${start}${cutMessage(line.slice(start.length), width - start.length)}`.trimEnd().slice(0, width)
}
