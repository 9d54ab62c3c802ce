use open_ttt_app::Preferences;

use super::{Colors, Settings, SymbolSet, Theme};

/// How the full screen looks, above the settings of the file.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Full screen")]
pub(crate) struct DisplayArgs {
    /// The background for which colours are chosen [default: your settings, or the terminal's]
    #[arg(long, value_name = "THEME")]
    theme: Option<Theme>,
    /// The characters for boards and arrows [default: your settings, or as the locale says]
    #[arg(long, value_name = "SET")]
    symbols: Option<SymbolSet>,
    /// Whether there are colours [default: your settings, or as the terminal allows]
    #[arg(long, value_name = "WHEN")]
    colors: Option<Colors>,
}

impl DisplayArgs {
    /// The preferences of the settings, or those of the command line where it has some.
    pub(super) fn over(&self, settings: &Settings) -> Preferences {
        let mut preferences = settings.preferences();
        if let Some(theme) = self.theme {
            preferences.background = Some(theme.background());
        }
        if let Some(symbols) = self.symbols {
            preferences.symbols = Some(symbols.symbols());
        }
        if let Some(colors) = self.colors {
            preferences.colors = Some(colors.color_use());
        }
        preferences
    }

    #[cfg(test)]
    pub(super) fn with_theme(theme: Theme) -> Self {
        Self {
            theme: Some(theme),
            ..Self::default()
        }
    }
}
