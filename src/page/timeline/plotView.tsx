import { memo } from "preact/compat"
import { bandHeight, noteHeight } from "./layout/timelineLayout.ts"
import { actorKindList } from "../../../machines/actorKinds.ts"
import { addressHash } from "../pageAddress.ts"
import { truncateText } from "../../drawing/truncateText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { MarkersView } from "./markersView.tsx"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import type { FuturePlot } from "./layout/futurePlot.ts"
import type { PodLayer } from "./layout/podLayers.ts"
import type { ShowMoment } from "./markersView.tsx"
import type { TimelineLayout, PlotLayout } from "./layout/timelineLayout.ts"

interface DrawingProps {
  readonly layout: TimelineLayout
  readonly showMoment: ShowMoment
}

export const DrawingView = memo(({ layout, showMoment }: DrawingProps) => {
  const { plots, scale, ticks, left, right, top, axisY, bands, noteMarkers } = layout
  const isLarge = plots.length === 1 && plots[0]?.conditions !== undefined
  return (
    <>
      <Patterns />
      {bands.map(({ id, x, width: bandWidth }) => (
        <rect key={id} class="band" x={x} y={top} width={bandWidth} height={axisY - top} />
      ))}
      {plots.map((plot) => (
        <PlotView key={plot.track.uid} plot={plot} layout={layout} isLarge={isLarge} />
      ))}
      {scale.cuts.map(({ fromMillis, toMillis }) => (
        <CutView
          key={fromMillis}
          x={roundToTenth((scale.x(fromMillis) + scale.x(toMillis)) / 2)}
          plots={plots}
          bottom={axisY}
        />
      ))}
      <g class="axis">
        <line x1={left} x2={right} y1={axisY} y2={axisY} />
        {ticks.map(({ x, text, isLast }, index) => (
          <g key={index} transform={`translate(${roundToTenth(x)},${axisY})`}>
            <line y2="5" />
            <text y="18" text-anchor={isLast ? "end" : "middle"}>
              {text}
            </text>
          </g>
        ))}
      </g>
      {bands.map(({ id, x, width: bandWidth, lane, text, textX, isEndAnchored, title }) => (
        <g key={id}>
          <title>{title}</title>
          <rect
            class="fault"
            x={x}
            y={bandTop(layout) + lane * bandHeight + 15}
            width={bandWidth}
            height="3"
          />
          <text
            class="fault-text"
            x={textX}
            y={bandTop(layout) + lane * bandHeight + 12}
            text-anchor={isEndAnchored ? "end" : "start"}
          >
            {text}
          </text>
        </g>
      ))}
      {/* Notes: the steps of a story, and its failures. */}
      <MarkersView label="Steps" kind="note" lane={{ y: 12, markers: noteMarkers }} showMoment={showMoment} />
      {plots.map(({ track, conditions, events }) => (
        <g key={track.uid}>
          {conditions !== undefined && (
            <MarkersView label="Conditions" kind="condition" lane={conditions} showMoment={showMoment} />
          )}
          <MarkersView label={`Events of ${track.name}`} kind="event" lane={events} showMoment={showMoment} />
        </g>
      ))}
      {isLarge && !layout.isNarrow && <MarkerNames plots={plots} />}
    </>
  )
})

const bandTop = ({ noteMarkers }: TimelineLayout): number => (noteMarkers.length > 0 ? noteHeight : 0)

const MarkerNames = ({ plots }: { readonly plots: ReadonlyArray<PlotLayout> }) => (
  <>
    {plots.map(({ track, conditions, events }) => (
      <g key={track.uid} class="lane-names" aria-hidden="true">
        <text x="2" y={(conditions?.y ?? 0) + 4}>
          status
        </text>
        <text x="2" y={events.y + 4}>
          events
        </text>
      </g>
    ))}
  </>
)

/** Patterns tell the layers apart without colours. */
const Patterns = () => (
  <defs>
    <pattern
      id="timeline-old"
      width="7"
      height="7"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect class="old-ground" width="7" height="7" />
      <rect class="old-stripe" width="3" height="7" />
    </pattern>
    <pattern id="timeline-new-unready" width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class="new-ground" width="6" height="6" />
      <path class="new-stripe" d="M0,5h6" />
    </pattern>
    <pattern id="timeline-old-unready" width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class="old-ground" width="6" height="6" />
      <path class="old-line" d="M0,5h6" />
    </pattern>
    <pattern id="timeline-stopping" width="5" height="5" patternUnits="userSpaceOnUse">
      <rect class="stopping-ground" width="5" height="5" />
      <circle class="stopping-dot" cx="2.5" cy="2.5" r="1.2" />
    </pattern>
  </defs>
)

interface PlotProps {
  readonly plot: PlotLayout
  readonly layout: TimelineLayout
  readonly isLarge: boolean
}

const PlotView = memo(({ plot, layout, isLarge }: PlotProps) => {
  const { track, top, height, layers, lines, counts, flags } = plot
  const { left, right } = layout
  return (
    <g>
      <g class="axis">
        {counts
          .filter(({ value }, index) => isLarge || value === 0 || index === counts.length - 1)
          .map(({ value, y }) => (
            <g key={value}>
              <line x1={left} x2={right} y1={roundToTenth(y)} y2={roundToTenth(y)} />
              {isLarge && (
                <text x={left - 6} y={roundToTenth(y) + 4} text-anchor="end">
                  {value}
                </text>
              )}
            </g>
          ))}
      </g>
      {layers.map(({ layer, path }) => (
        <path key={layer} {...layerAttributes(layer)} d={path}>
          <title>{layerLabels[layer]}</title>
        </path>
      ))}
      {plot.future !== undefined && <FutureView future={plot.future} top={top} height={height} />}
      {lines.map(({ line, path }) => (
        <path key={line} class={`line ${line}`} d={path} />
      ))}
      {flags.map(({ x, revision }, index) => (
        <FlagView
          key={index}
          x={x}
          revision={revision}
          plot={plot}
          isLarge={isLarge}
          nextX={flags[index + 1]?.x ?? right}
        />
      ))}
      {!isLarge && <LaneName track={track} top={top} height={height} layout={layout} />}
    </g>
  )
})

interface FutureProps {
  readonly future: FuturePlot
  readonly top: number
  readonly height: number
}

const FutureView = ({ future, top, height }: FutureProps) => (
  <g class="future" data-testid="future">
    <rect class="coming" x={future.x} y={top} width={future.width} height={height}>
      <title>What happens next if nothing else is done</title>
    </rect>
    <path class="seeds" d={future.band} />
    <path class="line available" d={future.available} />
    {future.milestones.map(({ x, text }) => (
      <g key={`${x} ${text}`} class="milestone" data-text={text}>
        <title>{text}</title>
        <line x1={x} x2={x} y1={top} y2={top + height} />
        <path d={`M${x},${top - 5}l4,5l-4,5l-4,-5Z`} />
      </g>
    ))}
  </g>
)

export const layerAttributes = (layer: PodLayer) => ({
  class: `layer ${layer}`,
  ...(layer === "new" ? {} : { fill: `url(#timeline-${layer})` })
})

export const layerLabels: Readonly<Record<PodLayer, string>> = {
  new: "new, ready",
  "new-unready": "new, not ready",
  "old-unready": "old, not ready",
  old: "old, ready",
  stopping: "stopping"
}

/** Narrower flags lack the word `revision`. */
const flagWidth = 74
/** Narrower flags lack the number. */
const flagNumberWidth = 14

interface FlagProps {
  readonly x: number
  readonly revision: string
  readonly plot: PlotLayout
  readonly isLarge: boolean
  readonly nextX: number
}

const FlagView = ({ x, revision, plot: { top, height }, isLarge, nextX }: FlagProps) => (
  <g class="flag">
    {/* A new Job of a CronJob has no number. */}
    {revision !== "" && <title>{`revision ${revision} from here on`}</title>}
    <line x1={x} x2={x} y1={isLarge ? top - 14 : top} y2={top + height} />
    {isLarge && revision !== "" && nextX - x > flagNumberWidth && (
      <text x={x + 4} y={top - 5}>
        {nextX - x > flagWidth ? `revision ${revision}` : revision}
      </text>
    )}
  </g>
)

/** `sts/`, as kubectl abbreviates a kind; none for Deployments. */
const kindPrefix = (kind: string): string => {
  const names = actorKindList.find((it) => it.kind === kind)?.names ?? []
  return kind === "Deployment"
    ? ""
    : `${names.reduce((a, b) => (a.length <= b.length ? a : b), kind.toLowerCase())}/`
}

interface LaneNameProps {
  readonly track: PlotLayout["track"]
  readonly top: number
  readonly height: number
  readonly layout: TimelineLayout
}

/** Longer names are cut off. */
const lettersMax = 22

const LaneName = ({ track, top, height, layout: { isNarrow, left } }: LaneNameProps) => {
  const fullName = `${kindPrefix(track.kind)}${displayName(track)}`
  return (
    <a href={addressHash(track)} class="lane-name">
      <title>{fullName}</title>
      <text
        x={isNarrow ? left : left - 8}
        y={isNarrow ? top - 5 : top + height / 2 - 2}
        text-anchor={isNarrow ? "start" : "end"}
      >
        {truncateText(fullName, isNarrow ? 2 * lettersMax : lettersMax)}
      </text>
    </a>
  )
}

interface CutProps {
  readonly x: number
  readonly plots: ReadonlyArray<PlotLayout>
  readonly bottom: number
}

const CutView = ({ x, plots, bottom }: CutProps) => (
  <g class="cut">
    <title>A gap without events is shortened here.</title>
    <path class="gap" d={plots.map(({ top, height }) => `M${x},${top}v${height}`).join("")} />
    <path class="edge" d={`M${x - 3},${bottom + 5}l4,-10M${x + 2},${bottom + 5}l4,-10`} />
  </g>
)
