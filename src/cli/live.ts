import { wholeEvent } from "../domain/wholeEvent.ts"
import * as Effect from "effect/Effect"
import { actLines } from "./reports.ts"
import { drawTree } from "./tree.ts"
import { eventLine } from "./eventLines.ts"
import { exactSpan } from "./ages.ts"
import { resources } from "../domain/kinds.ts"
import { makeObserver } from "../runtime/observers.ts"
import { plainPalette } from "./palette.ts"
import { newsLines, settingLine } from "./shows.ts"
import type { Frame } from "./frame.ts"
import type { Show, Stage } from "./shows.ts"

/** How long the machine's clock runs from frame to frame, and from the end of an act to the next one. */
interface Pace {
  readonly frameMillis: number
  readonly restMillis: number
}

export const paces = {
  /** Some twelve frames a second. */
  default: { frameMillis: 80, restMillis: 1500 },
  /** For those who see it for the first time: four acts in less than half a minute. */
  slow: { frameMillis: 250, restMillis: 3000 }
} as const satisfies Record<string, Pace>

/** Ages go on also where nothing changes: about once a second. */
const framesStillMax = 12
/** How many of the latest events stand below the tree. */
const eventsShown = 5
/** As high as a terminal is that does not say it. */
const rowsDefault = 24

/**
 * A live tree on a terminal. Virtual time jumps from one change to the next; where changes are dense, a
 * frame takes in a twentieth of a second and a fiftieth of the act so far, so that ten minutes take not
 * much longer than one.
 */
export const liveShow = (
  stage: Stage & {
    readonly frame: Frame
    readonly isVirtual: boolean
    readonly pace: Pace
  }
): Show => {
  const { cluster, palette, print, frame, startMillis } = stage
  const { frameMillis, restMillis } = stage.pace
  let latest: ReadonlyArray<string> = []
  let hasChanged = true
  let title = ""
  /** What is to stay on the screen, above the tree, when the next frame is drawn. */
  let news: ReadonlyArray<string> = []
  let hasNews = false

  const width = (): number => Math.max(40, (frame.columns() ?? 80) - 1)
  const draw = makeObserver("the live tree")(() => {
    hasChanged = false
    if (news.length > 0) {
      frame.keep(news)
      hasNews = true
      news = []
    }
    const nowMillis = cluster.nowMillis()
    const at = new Date(nowMillis).toISOString().slice(0, 19).replace("T", " ")
    const since = `${at}, ${exactSpan(nowMillis - startMillis)} since the start`
    const head = [...(hasNews ? [""] : []), palette.strong(title), palette.dim(since), ""]
    const foot = ["", ...latest.map((line) => palette.dim(line))]
    // The last row is the cursor's.
    const rowsMax = (frame.rows() ?? rowsDefault) - head.length - eventsShown - 2
    const tree = drawTree({ view: cluster.view, nowMillis, palette, width: width(), rowsMax })
    frame.draw([...head, ...tree, ...foot])
  })

  /** Virtual time is moved frame by frame; between frames the machine's time passes. */
  const paced = Effect.fnUntraced(function* (isOver: () => boolean, limitMillis: number) {
    const beganMillis = cluster.nowMillis()
    const endMillis = beganMillis + limitMillis
    while (cluster.nowMillis() < endMillis && !isOver()) {
      const shownMillis = cluster.nowMillis()
      const stepMillis = 50 + (shownMillis - beganMillis) / 50
      const isDue = (): boolean => hasChanged && cluster.nowMillis() - shownMillis >= stepMillis
      yield* cluster.until(() => isDue() || isOver(), endMillis - shownMillis)
      draw()
      yield* Effect.sleep(frameMillis)
    }
    return isOver()
  })

  const drawing = Effect.suspend(() => {
    let framesStill = 0
    const redraw = Effect.sync(() => {
      framesStill = hasChanged || framesStill >= framesStillMax ? 0 : framesStill + 1
      if (framesStill === 0) draw()
    })
    return Effect.forever(Effect.andThen(redraw, Effect.sleep(frameMillis)))
  })

  /** Another clock goes by itself; the screen is looked after beside it. */
  const beside = (isOver: () => boolean, limitMillis: number): Effect.Effect<boolean> =>
    Effect.raceFirst(cluster.until(isOver, limitMillis), drawing)

  return {
    begin: () => print(palette.dim(settingLine(stage.setting))),
    beginAct: (begun) =>
      Effect.suspend(() => {
        const rest = title === "" ? Effect.void : Effect.sleep(restMillis)
        title = begun
        print("")
        return rest
      }),
    applied: () => draw(),
    see: ({ type, resource, object }, atMillis) => {
      if (!shown.has(resource)) return
      hasChanged = true
      if (resource !== resources.events || type === "DELETED") return
      // The store says of what resource an object is; the types cannot follow.
      const line = eventLine(wholeEvent(object), atMillis, plainPalette).slice(0, width())
      latest = [...latest, line].slice(-eventsShown)
    },
    tell: (told) => {
      hasChanged = true
      news = [...news, ...newsLines(told, palette)]
    },
    over: () => {},
    follow: stage.isVirtual ? paced : beside,
    endAct: (report) =>
      Effect.sync(() => {
        latest = []
        draw()
        frame.done()
        for (const line of actLines(report, palette).slice(1)) print(line)
      }),
    end: () => {},
    stay: Effect.suspend(() => {
      title = "what is done from now on"
      print("")
      return drawing
    })
  }
}

/** What a tree shows: heartbeats and the like change nothing in it. */
const shown: ReadonlySet<string> = new Set([
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.events
])
