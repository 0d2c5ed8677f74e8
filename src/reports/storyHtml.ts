import { countText } from "../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import { expectedFailureText, failureTexts } from "./failureText.ts"
import { markup } from "./markup.ts"
import { recordingsNote, reportPage } from "./reportPage.ts"
import { htmlTable } from "./htmlTable.ts"
import { repeatCommand, shrinkSummaryText } from "./storyReport.ts"
import { deploymentTimeline, storyTimeScale, serviceTimeline } from "./storyTimeline.ts"
import { displayName } from "../kubernetes/meta/text/displayName.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PageAssets } from "./pageAssets.ts"
import type { ReportRecordings } from "./reportPage.ts"
import type { StoryReport } from "./storyReport.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"

export const storyHtml = (
  report: StoryReport,
  {
    reportRecordings,
    pageAssets
  }: { readonly reportRecordings: ReportRecordings; readonly pageAssets: PageAssets }
): string => {
  const { story, description, version, shownRuns } = report
  return reportPage({
    title: `${story}: ${outcomeText(report)}`,
    version,
    reportRecordings,
    pageAssets,
    body: [
      markup`<h1>${story}</h1>`,
      description === undefined ? markup`` : markup`<p class="lead">${description}</p>`,
      summaryParagraphs(report),
      recordingsNote(reportRecordings),
      ...shownRuns.map(runSection),
      shrunkSection(report),
      seedsSection(report)
    ]
  })
}

const outcomeSigns = { passed: "✓", failed: "✗", unsettled: "✗" } as const

const outcomeText = ({ outcome, runs }: StoryReport): string => {
  if (outcome === "unsettled") return "it has not settled"
  return outcome === "passed" ? passedText(runs) : outcome
}

const passedText = (runs: StoryReport["runs"]): string =>
  runs.some((run) => expectedFailureText(run) !== undefined) ? "failed as expected" : "passed"

const summaryParagraphs = (report: StoryReport): HtmlMarkup => {
  const { outcome, seeds, runs, file } = report
  const failedRuns = runs.filter((run) => run.outcome !== "passed")
  const [firstFailed] = failedRuns
  const seedsNote =
    failedRuns.length === 0 || seeds.count === 1
      ? `with ${seedsText(seeds)}`
      : `with ${failedRuns.length} of ${seedsText(seeds)}, first with ${firstFailed?.seed}`
  const command = repeatCommand(file, firstFailed?.seed ?? seeds.first)
  const sign = outcomeSigns[outcome]
  return markup`<p><span class="outcome ${outcome}">${sign} ${outcomeText(report)}</span> ${seedsNote}</p>
<p>To play ${firstFailed === undefined ? "it" : "the first that failed"} again: <code>${command}</code></p>`
}

const seedsText = ({ first, last, count }: StoryReport["seeds"]): string =>
  count === 1 ? `seed ${first}` : `seeds ${first}..${last}`

const runSection = (run: StoryRun): HtmlMarkup => {
  const { seed, outcome, deployments, services, endMillis } = run
  const scale = storyTimeScale(run)
  const texts = failureTexts(run)
  const outcomeWithSign = `${outcomeSigns[outcome]} ${outcome === "passed" ? passedText([run]) : outcome}`
  return markup`<section>
<h2>Seed ${seed}: <span class="${outcome}">${outcomeWithSign}</span> after ${formatDuration(endMillis)}</h2>
${texts.map((text) => markup`<pre>${text}</pre>`)}
${
  scale.cuts.length === 0
    ? undefined
    : markup`<p class="lead">Where nothing happens for long, the drawing is cut short.</p>`
}
${deployments.map(
  (deployment) => markup`<h2>Deployment ${displayName(deployment)}</h2>
<p class="verdict">${deployment.verdict}</p>
<p>${deployment.message}</p>
<p>${reachedText(deployment)} ${promisedText(deployment)}</p>
${deploymentTimeline(run, deployment, scale)}`
)}
${services.map(
  (service) => markup`<h2>Service ${displayName(service)}</h2>
<p class="${service.lost === 0 ? "good" : "bad"}">${lostText(service)}</p>
${serviceTimeline(run, service, scale)}`
)}
${stepsTable(run)}
${faultsTable(run)}
${eventsTable(run)}
</section>`
}

const reachedText = ({ reached }: StoryRun["deployments"][number]): string =>
  `Reached: ${countText(reached.podsMost, "Pod")} at the most ` +
  `(${reached.podsMostWithTerminating} with those that were stopping), ` +
  `${reached.availableFewest} available at the fewest.`

const promisedText = ({ podsMax, availableMin }: StoryRun["deployments"][number]): string =>
  podsMax === undefined || availableMin === undefined
    ? "Nothing was promised at the end."
    : `Promised at the end: ${countText(podsMax, "Pod")} at the most, ${availableMin} available at the fewest.`

const lostText = ({ lost, requests }: StoryRun["services"][number]): string =>
  `${shortNumber(lost)} of ${shortNumber(requests)} requests lost`

const shortNumber = (value: number): string => String(Number(value.toFixed(1)))

const timeText = (millis: number | undefined): string => (millis === undefined ? "" : formatDuration(millis))

const stepsTable = ({ steps }: StoryRun): HtmlMarkup =>
  steps.length === 0
    ? markup``
    : markup`<h2>Steps</h2>${htmlTable(
        [
          { title: "", kind: "number" },
          { title: "began", kind: "number" },
          { title: "ended", kind: "number" },
          { title: "step", kind: "what" },
          { title: "" }
        ],
        steps.map(({ number, text, beganMillis, endedMillis, outcome }) => ({
          className: outcome === "failed" ? "Warning" : "",
          cells: [
            number,
            timeText(beganMillis),
            timeText(endedMillis),
            text,
            { done: "✓ done", failed: "✗ failed", notReached: "not reached" }[outcome]
          ]
        }))
      )}`

const faultsTable = ({ faults }: StoryRun): HtmlMarkup =>
  faults.length === 0
    ? markup``
    : markup`<h2>Faults</h2>${htmlTable(
        [
          { title: "", kind: "number" },
          { title: "began", kind: "number" },
          { title: "ended", kind: "number" },
          { title: "fault", kind: "what" },
          { title: "from" }
        ],
        faults.map((fault, index) => {
          const { text, beganMillis, endedMillis, isRandom } = fault
          return {
            cells: [
              `F${index + 1}`,
              timeText(beganMillis),
              endedMillis === undefined ? "until the end" : timeText(endedMillis),
              `${text}${fault.met === 0 ? ": it affected nothing" : ""}`,
              isRandom ? "the seed" : "the story"
            ]
          }
        })
      )}`

/** Only the JSON report has all events. */
const eventsMax = 1000

const eventsTable = ({ events }: StoryRun): HtmlMarkup =>
  events.length === 0
    ? markup``
    : markup`<h2>Events</h2>${htmlTable(
        [
          { title: "at", kind: "number" },
          { title: "type" },
          { title: "reason" },
          { title: "object", kind: "what" },
          { title: "message", kind: "what" }
        ],
        events.slice(0, eventsMax).map(({ atMillis, type, reason, object, message }) => ({
          className: type === "Warning" ? "Warning" : "",
          cells: [timeText(atMillis), type, reason, object, message]
        }))
      )}${
        events.length > eventsMax
          ? markup`<p class="lead">${events.length - eventsMax} more are in the JSON report.</p>`
          : undefined
      }`

const shrunkSection = ({ shrunk }: StoryReport): HtmlMarkup =>
  shrunk === undefined
    ? markup``
    : markup`<h2>The least that still fails so, with seed ${shrunk.seed}</h2>
<p class="lead">${shrinkSummaryText(shrunk)}</p>
<pre>${shrunk.yaml}</pre>`

const seedsSection = ({ runs }: StoryReport): HtmlMarkup =>
  runs.length < 2
    ? markup``
    : markup`<h2>Every seed</h2>${htmlTable(
        [
          { title: "seed", kind: "number" },
          { title: "outcome" },
          { title: "after", kind: "number" },
          { title: "what failed first", kind: "what" }
        ],
        seedRows(runs)
      )}`

/** One row per failed seed, and one per range of passed seeds. */
const seedRows = (runs: StoryReport["runs"]) => {
  const rows: Array<{ className: string; cells: ReadonlyArray<string | number> }> = []
  let passedRuns: Array<StoryReport["runs"][number]> = []
  const addPassedRow = (): void => {
    const [first, last] = [passedRuns[0], passedRuns.at(-1)]
    if (first === undefined || last === undefined) return
    const endTimes = passedRuns.map(({ endMillis }) => endMillis)
    const [earliest, latest] = [
      endTimes.reduce((a, b) => Math.min(a, b)),
      endTimes.reduce((a, b) => Math.max(a, b))
    ]
    const endsText = earliest === latest ? timeText(earliest) : `${timeText(earliest)} to ${timeText(latest)}`
    const seeds = first === last ? first.seed : `${first.seed}..${last.seed}`
    const expectedText = expectedFailureText(first) ?? ""
    const text = expectedText === "" || first === last ? expectedText : `${first.seed}: ${expectedText}`
    rows.push({ className: "", cells: [seeds, `✓ ${passedText(passedRuns)}`, endsText, text] })
    passedRuns = []
  }
  for (const run of runs) {
    if (run.outcome === "passed") {
      passedRuns.push(run)
      continue
    }
    addPassedRow()
    const [text = ""] = failureTexts(run)
    rows.push({ className: "Warning", cells: [run.seed, `✗ ${run.outcome}`, timeText(run.endMillis), text] })
  }
  addPassedRow()
  return rows
}
