import { markup } from "./markup.ts"
import { pageFile } from "./pageFile.ts"
import { patternDefinitions } from "./legend.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PageAssets } from "./pageAssets.ts"
import type { TitledRecording } from "./pageFile.ts"

export interface ReportRecordings {
  readonly recordings: ReadonlyArray<TitledRecording>
  /** A sentence for each recording that is cut or left out. */
  readonly leftOutTexts: ReadonlyArray<string>
}

export const reportPage = (options: {
  readonly title: string
  readonly version: string
  readonly body: ReadonlyArray<HtmlMarkup>
  readonly reportRecordings: ReportRecordings
  readonly pageAssets: PageAssets
}): string => {
  const { title, version, body, reportRecordings, pageAssets } = options
  const report = markup`${patternDefinitions}
${body}
<footer>charthouse ${version}. All times are virtual; the same seed gives the same page.</footer>`
  return pageFile({ title, version, report, recordings: reportRecordings.recordings, pageAssets })
}

/** The page's script shows the recordings in `report-story`. */
export const recordingsNote = ({ recordings, leftOutTexts }: ReportRecordings): HtmlMarkup => {
  const titles = recordings.map(({ title }) => title).join("; ")
  return markup`${
    recordings.length === 0
      ? undefined
      : markup`<p class="lead">Recorded in this file, to be watched from moment to moment: ${titles}.</p>
<div id="report-story" class="story"></div>`
  }
${leftOutNote(leftOutTexts)}`
}

const leftOutNote = (texts: ReadonlyArray<string>): HtmlMarkup => {
  const lines = texts.map((text) => markup`<p class="lead">${text}</p>`)
  return texts.length < 2
    ? markup`${lines}`
    : markup`<details><summary>Recordings that are left out, or begin late</summary>${lines}</details>`
}

/** A page with more recordings opens slowly. */
export const recordingsMax = 3

/** A browser unpacks a recording of this length in a second or two. */
const charactersMax = 64 * 1024 * 1024

export const omitLongRecordings = (
  recordings: ReadonlyArray<TitledRecording & { readonly hasBeginning: boolean }>
): ReportRecordings => ({
  recordings: recordings.filter(isShort).map(({ title, text }) => ({ title, text })),
  leftOutTexts: recordings.flatMap((recording) => {
    const { title, text, hasBeginning } = recording
    if (!isShort(recording))
      return [
        `Not recorded here: ${title}; with ${Math.round(text.length / 1024 / 1024)} MB it is too long for a page.`
      ]
    return hasBeginning
      ? []
      : [`The recording of ${title} begins late: the whole of it is too long for a page.`]
  })
})

const isShort = ({ text }: TitledRecording): boolean => text.length <= charactersMax
