import { CompareView } from "./moment/compareView.tsx"
import { HelpView } from "./helpView.tsx"
import { ObjectView } from "./object/objectView.tsx"
import { PaletteView } from "./palette/paletteView.tsx"
import { ReportStory } from "./story/reportStory.tsx"
import { StoryView } from "./story/storyView.tsx"

/** What the first view does not need. The build puts it into a file of its own, as `lazyView` imports it. */
export const laterViews = { CompareView, HelpView, ObjectView, PaletteView, ReportStory, StoryView }
